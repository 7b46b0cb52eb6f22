// SPDX-License-Identifier: MIT
// The right result of a scan.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lab_judge {

enum class Kind { kExclusive, kInclusive };

// A scan and its result. T: compared with ==, printed by `text`; `combine` is associative.
template <class T>
struct Result {
  std::string function;
  Kind kind;
  T identity;
  std::function<T(T earlier, T later)> combine;
  std::function<std::string(T)> text;
  std::vector<T> h_in;
  std::vector<T> h_got;
};

// The right output, one item after another.
template <class T>
std::vector<T> reference(const Result<T>& result, Kind kind) {
  std::vector<T> h_out(result.h_in.size());
  T running = result.identity;
  for (std::size_t i = 0; i < h_out.size(); ++i) {
    const T before = running;
    running = result.combine(running, result.h_in[i]);
    h_out[i] = kind == Kind::kInclusive ? running : before;
  }
  return h_out;
}

}  // namespace lab_judge
