// SPDX-License-Identifier: MIT
// A kernel that ends itself: __trap() and assert().
#include "simt/trap.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/builtins.h"
#include "simt/ptx.h"

using simt::device::running;

void __trap() {
  if (running.launch == nullptr) std::abort();
  const simt::device::Untraced untraced;
  simt::device::end_kernel({cudaErrorLaunchFailure, simt::FindingKind::kCrash,
                            simt::device::running_thread_name() + " executed __trap()",
                            __builtin_return_address(0)});
}

void simt::unknown_ptx(const char* instruction) {
  const std::string what = std::string("the PTX instruction ") + instruction +
                           ", which the emulator does not know: use the CUDA function that does "
                           "the same, or run the program on a GPU";
  if (running.launch == nullptr) {
    std::fprintf(stderr, "the host executes %s\n", what.c_str());
    std::abort();
  }
  const device::Untraced untraced;
  device::end_kernel({cudaErrorIllegalInstruction, FindingKind::kLaunchError,
                      device::running_thread_name() + " executes " + what,
                      __builtin_return_address(0)});
}

int simt::ptx::multiprocessor_id() {
  if (running.launch == nullptr) return 0;
  const dim3& grid = running.launch->config.grid;
  const std::uint64_t block =
      (std::uint64_t{blockIdx.z} * grid.y + blockIdx.y) * grid.x + blockIdx.x;
  return static_cast<int>(block % kNumMultiprocessors);
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
