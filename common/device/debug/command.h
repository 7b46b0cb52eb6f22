// SPDX-License-Identifier: MIT
// A command of the front end: a flat JSON object of strings and whole numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace debug {

class Command {
 public:
  // What is no such object is a command without members.
  explicit Command(std::string_view json);

  std::string text(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;  // 0: it is not there

 private:
  std::map<std::string, std::string> members_;
};

}  // namespace debug
