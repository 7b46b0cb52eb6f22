// SPDX-License-Identifier: MIT
#pragma once

#include "run/running.h"

namespace simt::device {

// While it lives, the emulator works on a fiber on its own behalf. Functions of the standard
// library that it shares with the program may be the program's copies, with hooks; these must not
// mistake its own data for the kernel's.
class Untraced {
 public:
  Untraced()
      : stack_low_(running.stack_low), stack_bytes_(running.stack_bytes), trace_(running.trace) {
    running.stack_low = 0;
    running.stack_bytes = SIZE_MAX;
    running.trace = nullptr;
  }
  ~Untraced() {
    running.stack_low = stack_low_;
    running.stack_bytes = stack_bytes_;
    running.trace = trace_;
  }
  Untraced(const Untraced&) = delete;
  Untraced& operator=(const Untraced&) = delete;

 private:
  std::uintptr_t stack_low_;
  std::size_t stack_bytes_;
  LaneTrace* trace_;
};

}  // namespace simt::device
