// SPDX-License-Identifier: MIT
#include "count/counters.h"

#include <algorithm>

#include "run/machine.h"

namespace count {
namespace {

constexpr std::uint32_t kMaxBlocksPerMultiprocessor = 32;
constexpr std::uint64_t kSharedBytesPerMultiprocessor = 228 << 10;
constexpr std::uint64_t kReservedSharedBytesPerBlock = 1 << 10;

constexpr std::array<const char*, kNumCounters> kNames = {
#define DEVICE_COUNTER(constant, name) name,
#include "count/counters.inc"
};

}  // namespace

const char* name_of(Counter counter) { return kNames[std::size_t(counter)]; }

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

bool AccessPattern::has_all_lanes() const {
  return std::ranges::all_of(offsets, [](const auto& offset) { return offset.has_value(); });
}

Occupancy occupancy(std::uint64_t threads_per_block, std::uint64_t shared_bytes) {
  const bool fits = threads_per_block >= 1 &&
                    threads_per_block <= std::uint64_t{run::kMaxThreadsPerBlock} &&
                    shared_bytes <= run::kMaxSharedBytesPerBlock;
  if (!fits) return {0, 0, "shared memory"};
  const auto warps_per_block =
      static_cast<std::uint32_t>((threads_per_block + run::kWarpSize - 1) / run::kWarpSize);
  const std::uint32_t by_threads = kMaxWarpsPerMultiprocessor / warps_per_block;
  const auto by_shared = static_cast<std::uint32_t>(kSharedBytesPerMultiprocessor /
                                                    (shared_bytes + kReservedSharedBytesPerBlock));
  Occupancy result;
  result.blocks = std::min({by_threads, by_shared, kMaxBlocksPerMultiprocessor});
  result.warps = result.blocks * warps_per_block;
  result.limiter = result.blocks == by_threads                    ? "threads"
                   : result.blocks == kMaxBlocksPerMultiprocessor ? "blocks"
                                                                  : "shared memory";
  return result;
}

}  // namespace count
