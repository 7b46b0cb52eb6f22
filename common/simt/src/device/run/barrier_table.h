// SPDX-License-Identifier: MIT
// The state of a block's barriers by number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/limits.h"
#include "simt/named_barrier.h"

namespace simt::device {

struct NamedBarrier {
  int expected = 0;          // threads that complete it; 0: all of the block
  const void* pc = nullptr;  // of the first to arrive; null: none has
  std::array<std::uint32_t, kMaxThreadsPerBlock / kWarpSize> lanes = {};  // that have, by warp

  // How many threads have arrived.
  int num_arrived() const;
};

class BarrierTable {
 public:
  static constexpr bool has(int number) {
    return number >= -kNumTileBarriers && number < kNumPtxBarriers;
  }
  NamedBarrier& operator[](int number);
  const NamedBarrier& operator[](int number) const;
  bool is_used() const { return !all_.empty(); }
  void clear() { all_.clear(); }

 private:
  std::vector<NamedBarrier> all_;  // empty until the block uses one
};

}  // namespace simt::device
