// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory that have begun but not arrived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/shared_shadow.h"

namespace simt::device {

// What one lane has in flight. Until a copy arrives, its destination holds poison and counts as
// unwritten, so that an early read is reported.
class AsyncCopies {
 public:
  // A copy to [address, address + size_bytes), which holds its contents already. `pc`: of the call
  // that begins it. Not followed outside of shared memory.
  void begin(std::uintptr_t address, std::size_t size_bytes, const void* pc, SharedShadow& shadow);

  // Those begun since the last commit are one batch.
  void commit() { ++num_batches_; }

  // All copies arrive except those of the last num_later batches.
  void wait(std::size_t num_later_batches, SharedShadow& shadow);

  // For a new block.
  void clear() { under_way_.clear(); }

  // The call that began a copy to some byte of [address, address + size_bytes); null if none did.
  const void* find(std::uintptr_t address, std::size_t size_bytes) const;

 private:
  struct Copy {
    std::uintptr_t address;
    std::size_t size_bytes;
    std::array<std::byte, 16> contents;
    unsigned batch;
    const void* pc;
  };

  static void arrive(const Copy& copy, SharedShadow& shadow);

  std::vector<Copy> under_way_;  // in order of their beginning
  unsigned num_batches_ = 0;     // committed
};

}  // namespace simt::device
