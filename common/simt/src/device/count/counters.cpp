// SPDX-License-Identifier: MIT
#include "simt/counters.h"

#include <algorithm>
#include <array>

namespace simt {
namespace {

constexpr std::array<const char*, kNumCounters> kNames = {
#define SIMT_COUNTER(constant, name) name,
#include "simt/counters.inc"
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
