// SPDX-License-Identifier: MIT
// What calls of a lab's first rung take, in a file: so the judges of many submissions time it once.
// Only judges write the file. A line has the function, the items of the call, and milliseconds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace judge {

class FirstTimes {
 public:
  explicit FirstTimes(std::string file) : file_(std::move(file)) {}  // empty: nothing is kept

  std::optional<double> find(const std::string& function, std::size_t num_items) const;
  void add(const std::string& function, std::size_t num_items, double call_ms) const;

 private:
  std::string file_;
};

}  // namespace judge
