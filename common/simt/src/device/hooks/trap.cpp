// SPDX-License-Identifier: MIT
// A kernel that ends itself: __trap() and assert().
#include "simt/trap.h"

#include <cstdio>
#include <cstdlib>

#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"

using simt::device::running;

void __trap() {
  if (running.launch == nullptr) std::abort();
  const simt::device::Untraced untraced;
  simt::device::end_kernel({cudaErrorLaunchFailure, simt::FindingKind::kCrash,
                            simt::device::running_thread_name() + " executed __trap()",
                            __builtin_return_address(0)});
}

// What a failed assert() calls. Replaces the C library's, which it still is outside of kernels.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned line,
                              const char* function) noexcept {
  if (running.launch == nullptr) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    std::abort();
  }
  const simt::device::Untraced untraced;
  simt::device::end_kernel(
      {cudaErrorAssert, simt::FindingKind::kCrash,
       simt::device::running_thread_name() + ": assertion `" + assertion + "` failed",
       __builtin_return_address(0)});
}
