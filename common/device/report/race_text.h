// SPDX-License-Identifier: MIT
// Messages about races.
#pragma once

#include <string>

#include "report/words.h"

namespace report {

// Two accesses by different threads without an ordering between them.
struct Race {
  std::string thread;  // the name of the thread that makes the access that is named first
  Place place;         // of that one; the later one, except within a warp
  bool writes = false;
  bool is_shared = false;  // they are to shared memory
  std::string memory;      // "shared memory (tile)"

  std::string earlier_thread;  // the name of the one that made the other one, without its block
  Place earlier_place;
  bool earlier_writes = false;
  bool is_earlier_async = false;  // by wgmma or a bulk copy
  bool is_same_block = false;
  bool is_polled = false;    // the thread waits in a loop for what the earlier access has written
  std::string other_kernel;  // of the earlier one, if it may still run on another stream
  Place last_barrier;        // where the thread last waited for its block; unknown: it did not
};
std::string race_text(const Race& race);

// A plain read of what other threads update by an atomic at `update`.
std::string guarded_update_text(const std::string& thread, const Place& place, bool is_shared,
                                const Place& update);

// wgmma or a bulk copy reads at `place` what `writer` of the same block wrote at `written`.
std::string unfenced_text(const std::string& thread, const Place& place, std::uint32_t writer,
                          const Place& written);

// The thread writes what the wgmma at `product`, by the warp of thread `reader`, may still read.
std::string product_reads_text(const std::string& thread, const Place& place, std::uint32_t reader,
                               const Place& product);
// The same of a bulk copy from shared memory, by thread `reader`.
std::string bulk_copy_reads_text(const std::string& thread, const Place& place,
                                 std::uint32_t reader, const Place& copy);

// The thread accesses global memory that the bulk copy at `copy`, which `storer` started, may not
// have written yet.
std::string bulk_copy_writes_text(const std::string& thread, const Place& place, bool writes,
                                  const std::string& storer, const Place& copy);

// The thread accesses shared memory of the block of `owner`, which may have ended before.
std::string owner_ends_text(const std::string& thread, bool writes, const Place& place,
                            const ThreadId& owner);

// What a race between two writes adds if both have stored the same value.
std::string same_value_text();

// A piece of a stream's work that is no kernel.
// An allocation and a free count as writes. The caller's is what the program may have put into the
// stream that a function of a lab receives.
enum class CopyKind { kCopyOrFill, kAllocation, kFree, kCallers };
struct StreamCopy {
  CopyKind kind = CopyKind::kCopyOrFill;
  Place issued_at;
  bool is_written = false;  // the range that it shares with an access; else it reads there
};

// The thread accesses memory of the copy, which may still run. `does`: "reads global memory".
std::string copy_race_text(const std::string& thread, const Place& place, const std::string& does,
                           const StreamCopy& copy);

// The copy uses memory that a kernel, which may still run, accesses at `place`.
std::string copy_meets_kernel_text(const StreamCopy& copy, const std::string& kernel,
                                   const Place& place, bool kernel_writes);
// The copy uses memory of another copy, which may still run.
std::string copy_meets_copy_text(const StreamCopy& copy, const StreamCopy& other);

// The host's own code accesses memory at `at` that a kernel, which may still run, accesses at
// `place`; or that a copy uses.
std::string host_meets_kernel_text(bool writes, const Place& at, const std::string& kernel,
                                   const Place& place, bool kernel_writes);
std::string host_meets_copy_text(bool writes, const StreamCopy& copy);

}  // namespace report
