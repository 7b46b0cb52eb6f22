// SPDX-License-Identifier: MIT
// A thread's own asynchronous copies to shared memory, in batches.
#pragma once

#include "cuda_runtime.h"

#ifdef __CUDA__

// Copies size_bytes (4, 8 or 16, to and from addresses that are multiples of it), but sets the last
// zero_bytes to zero instead of reading them.
LOCKSTEP_DEVICE void __pipeline_memcpy_async(void* destination, const void* source,
                                             size_t size_bytes, size_t zero_bytes = 0) {
  const auto to = static_cast<unsigned int>(__cvta_generic_to_shared(destination));
  const size_t from = __cvta_generic_to_global(source);
  const auto source_bytes = static_cast<unsigned int>(size_bytes - zero_bytes);
  // The instruction has a form without a count of source bytes.
#define LOCKSTEP_COPY(level, bytes)                                                           \
  if (__builtin_constant_p(zero_bytes) && zero_bytes == 0) {                                  \
    __asm__ volatile("cp.async." level ".shared.global [%0], [%1], " bytes ";" ::"r"(to),     \
                     "l"(from)                                                                \
                     : "memory");                                                             \
  } else {                                                                                    \
    __asm__ volatile("cp.async." level ".shared.global [%0], [%1], " bytes ", %2;" ::"r"(to), \
                     "l"(from), "r"(source_bytes)                                             \
                     : "memory");                                                             \
  }
  if (size_bytes == 16) {
    LOCKSTEP_COPY("cg", "16")
  } else if (size_bytes == 8) {
    LOCKSTEP_COPY("ca", "8")
  } else if (size_bytes == 4) {
    LOCKSTEP_COPY("ca", "4")
  } else {
    __trap();
  }
#undef LOCKSTEP_COPY
}

LOCKSTEP_DEVICE void __pipeline_commit() {
  __asm__ volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for all but the last num_later batches that this thread has committed.
LOCKSTEP_DEVICE void __pipeline_wait_prior(size_t num_later) {
  // The instruction takes a constant; waiting for more than asked is right.
#define LOCKSTEP_WAIT(count)                                          \
  case count:                                                         \
    __asm__ volatile("cp.async.wait_group " #count ";" ::: "memory"); \
    break
  switch (num_later) {
    LOCKSTEP_WAIT(1);
    LOCKSTEP_WAIT(2);
    LOCKSTEP_WAIT(3);
    LOCKSTEP_WAIT(4);
    LOCKSTEP_WAIT(5);
    LOCKSTEP_WAIT(6);
    LOCKSTEP_WAIT(7);
    LOCKSTEP_WAIT(8);
    default:
      __asm__ volatile("cp.async.wait_all;" ::: "memory");
  }
#undef LOCKSTEP_WAIT
}

#endif
