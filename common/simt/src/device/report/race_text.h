// SPDX-License-Identifier: MIT
// Messages about races.
#pragma once

#include <string>

#include "program/access.h"
#include "report/stream_copy.h"
#include "simt/call_stack.h"

namespace simt::device {

// Two accesses by different threads without an ordering between them.
struct Race {
  std::string thread;  // the name of the thread that makes the later access
  Access access;       // the later one
  bool is_shared;      // it is to shared memory

  std::string earlier_thread;  // the name of the one that made the earlier one, without its block
  const void* earlier_pc;      // the return address of the call that announced it
  bool earlier_writes;
  bool is_same_block;
  bool is_polled;            // the thread waits in a loop for what the earlier access has written
  const char* other_kernel;  // of the earlier one, if it may still run on another stream; or null
  const void* last_barrier;  // where the thread last waited for its block; null if it did not
};
std::string race_text(const Race& race);

// What a race between two writes adds if both have stored the same value.
std::string same_value_text();

// The thread accesses memory of the copy, which may still run.
std::string copy_race_text(const std::string& thread, const Access& access, const StreamCopy& copy);

// The copy uses memory that a kernel, which may still run, accessed at `pc`.
std::string copy_meets_kernel_text(const StreamCopy& copy, const char* kernel, const void* pc,
                                   bool kernel_writes);

// The copy uses memory of another copy, which may still run.
std::string copy_meets_copy_text(const StreamCopy& copy, const StreamCopy& other);

// The host's own code makes the access to memory that a kernel, which may still run, accessed at
// `pc`.
std::string host_meets_kernel_text(const Access& access, const char* kernel, const void* pc,
                                   bool kernel_writes);

// The same with memory of a copy.
std::string host_meets_copy_text(const Access& access, const StreamCopy& copy);

}  // namespace simt::device
