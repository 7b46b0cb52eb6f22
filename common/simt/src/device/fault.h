// SPDX-License-Identifier: MIT
// A kernel's early end.
#pragma once

#include <string>

#include "simt/error.h"

namespace simt::device {

struct Fault {
  cudaError_t error;    // becomes the sticky error
  std::string kind;     // the finding's
  std::string message;  // the finding's
  const void* pc;       // where; a return address, or null
};

// Ends the running kernel. Call on a fiber; nothing on any fiber runs again, not even destructors.
[[noreturn]] void end_kernel(Fault fault);

// The running thread divided by zero at `pc`.
[[noreturn]] void end_division_by_zero(const void* pc);

}  // namespace simt::device
