// SPDX-License-Identifier: MIT
// The time of one core, with which a lab's judge compares a submission.
#pragma once

#include <chrono>

namespace judge {

// Milliseconds that `work` takes, once. It returns some of its result, so that the compiler must
// not skip it.
template <class Work>
double milliseconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  volatile double result = work();
  static_cast<void>(result);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace judge
