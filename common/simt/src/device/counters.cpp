// SPDX-License-Identifier: MIT
#include "simt/counters.h"

#include <algorithm>

namespace simt {
namespace {

constexpr std::array<const char*, kNumCounters> kNames = {
    "launches",
    "blocks",
    "warps",
    "threads",
    "global_read_requests",
    "global_read_sectors",
    "global_read_bytes",
    "global_read_lanes",
    "global_write_requests",
    "global_write_sectors",
    "global_write_bytes",
    "global_write_lanes",
    "shared_read_requests",
    "shared_read_wavefronts",
    "shared_read_conflicts",
    "shared_read_lanes",
    "shared_write_requests",
    "shared_write_wavefronts",
    "shared_write_conflicts",
    "shared_write_lanes",
    "global_atomic_requests",
    "global_atomic_lanes",
    "global_atomic_max_same_address",
    "shared_atomic_requests",
    "shared_atomic_lanes",
    "shared_atomic_max_same_address",
    "barriers",
    "warp_operations",
    "basic_blocks",
    "active_lanes",
    "divergent_branches",
};

}  // namespace

const char* counter_name(Counter counter) { return kNames[std::size_t(counter)]; }

CounterSet& CounterSet::operator+=(const CounterSet& other) {
  for (std::size_t i = 0; i < kNumCounters; ++i) {
    if (is_maximum(static_cast<Counter>(i))) {
      values_[i] = std::max(values_[i], other.values_[i]);
    } else {
      values_[i] += other.values_[i];
    }
  }
  return *this;
}

Occupancy occupancy(int threads_per_block, std::size_t shared_bytes) {
  const int warps_per_block = (threads_per_block + kWarpSize - 1) / kWarpSize;
  Occupancy result;
  result.blocks = blocks_per_multiprocessor(threads_per_block, shared_bytes);
  result.warps = result.blocks * warps_per_block;
  if (result.blocks == kMaxWarpsPerMultiprocessor / warps_per_block) {
    result.limiter = "threads";
  } else if (result.blocks == kMaxBlocksPerMultiprocessor) {
    result.limiter = "blocks";
  } else {
    result.limiter = "shared memory";
  }
  return result;
}

}  // namespace simt
