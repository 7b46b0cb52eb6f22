// SPDX-License-Identifier: MIT
#include "fault.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "describe.h"
#include "grid.h"
#include "running.h"
#include "scheduler.h"
#include "simt/trap.h"

namespace simt::device {

void end_kernel(Fault fault) {
  running.grid->fault = std::move(fault);
  leave_kernel();
}

void end_division_by_zero(const void* pc) {
  end_kernel(
      {cudaErrorLaunchFailure, "crash", running_thread_name() + " divided an integer by zero", pc});
}

}  // namespace simt::device

using simt::device::running;

void __trap() {
  if (running.grid == nullptr) std::abort();
  const simt::device::Untraced untraced;
  simt::device::end_kernel({cudaErrorLaunchFailure, "crash",
                            simt::device::running_thread_name() + " executed __trap()",
                            __builtin_return_address(0)});
}

// What a failed assert() calls. Replaces the C library's, which it still is outside of kernels.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line,
                              const char* function) noexcept {
  if (running.grid == nullptr) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    std::abort();
  }
  const simt::device::Untraced untraced;
  simt::device::end_kernel(
      {cudaErrorAssert, "crash",
       simt::device::running_thread_name() + ": assertion `" + assertion + "` failed",
       __builtin_return_address(0)});
}
