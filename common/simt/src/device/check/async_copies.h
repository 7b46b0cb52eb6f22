// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory that have begun but not arrived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "check/shared_shadow.h"

namespace simt::device {

// A copy that has not arrived: the call that began it, and why it is still under way.
struct LateCopy {
  const void* pc;
  bool is_committed;
  std::size_t num_left;  // batches that its thread's last wait left; 0: no wait since the commit
};

// What one lane has in flight. Until a copy arrives, its destination holds poison and counts as
// unwritten, so that an early read is reported.
class AsyncCopies {
 public:
  // A copy to [address, address + size_bytes), which holds its contents already. `pc`: of the call
  // that begins it. Not followed outside of shared memory.
  void begin(std::uintptr_t address, std::size_t size_bytes, const void* pc, SharedShadow& shadow);

  // Those begun since the last commit are one batch.
  void commit() { ++num_batches_; }

  // All copies arrive except those of the last num_later batches. Returns, for each copy that a
  // wait leaves under way for the first time, the call that began it.
  std::vector<const void*> wait(std::size_t num_later_batches, SharedShadow& shadow);

  // For a new block.
  void clear() {
    under_way_.clear();
    num_batches_waited_ = 0;
    num_batches_ = 0;
  }

  // A copy to some byte of [address, address + size_bytes).
  std::optional<LateCopy> find(std::uintptr_t address, std::size_t size_bytes) const;

 private:
  struct Copy {
    std::uintptr_t address;
    std::size_t size_bytes;
    std::array<std::byte, 16> contents;
    std::size_t batch;
    const void* pc;
    bool was_left;  // under way by a wait
  };

  static void arrive(const Copy& copy, SharedShadow& shadow);

  std::vector<Copy> under_way_;         // in order of their beginning
  std::size_t num_batches_ = 0;         // committed
  std::size_t num_batches_waited_ = 0;  // as many as there were at the last wait
  std::size_t num_left_ = 0;            // by the last wait
};

}  // namespace simt::device
