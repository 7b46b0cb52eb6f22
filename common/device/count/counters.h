// SPDX-License-Identifier: MIT
// What kernels did, counted exactly, as Nsight Compute counts on a device: by kernel and by source
// line. docs/counters.md defines each counter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/warp.h"

namespace count {

enum class Counter : std::uint8_t {
#define DEVICE_COUNTER(constant, name) constant,
#include "count/counters.inc"
  kEnd
};
inline constexpr std::size_t kNumCounters = std::size_t(Counter::kEnd);

const char* name_of(Counter counter);  // "global_read_sectors"

// True for the counters that keep the largest value seen; the others are sums.
constexpr bool is_maximum(Counter counter) {
  switch (counter) {
    case Counter::kGlobalAtomicMaxSameAddress:
    case Counter::kSharedAtomicMaxSameAddress:
    case Counter::kAtomicsMaxPerBlock:
    case Counter::kPollsMaxPerWarp:
    case Counter::kPublicationsMaxChain:
    case Counter::kBarriersMaxPerBlock:
    case Counter::kAllocatedMaxBytes:
    case Counter::kPinnedMaxBytes:
      return true;
    default:
      return false;
  }
}

// The one that many places further down the list.
constexpr Counter operator+(Counter counter, int places) {
  return static_cast<Counter>(static_cast<int>(counter) + places);
}

// One value for each counter.
class CounterSet {
 public:
  std::uint64_t operator[](Counter counter) const { return values_[std::size_t(counter)]; }
  std::uint64_t& operator[](Counter counter) { return values_[std::size_t(counter)]; }

  void raise(Counter maximum, std::uint64_t amount) {
    std::uint64_t& most = (*this)[maximum];
    if (amount > most) most = amount;
  }
  CounterSet& operator+=(const CounterSet& other);
  bool operator==(const CounterSet&) const = default;

 private:
  std::array<std::uint64_t, kNumCounters> values_ = {};
};

enum class MemorySpace : std::uint8_t { kGlobal, kShared };
enum class AccessKind : std::uint8_t { kRead, kWrite, kAtomic };

// The addresses of one warp memory instruction.
struct AccessPattern {
  MemorySpace space = MemorySpace::kGlobal;
  AccessKind access = AccessKind::kRead;
  std::uint32_t size_bytes = 0;  // of one lane's access
  std::string base;  // the allocation or the __shared__ variable that offsets count from
  // In bytes, by lane; empty for an inactive lane.
  std::array<std::optional<std::int64_t>, run::kWarpSize> offsets = {};
  std::uint32_t cost = 0;  // sectors (global) or wavefronts (shared) that it took

  bool has_all_lanes() const;
};

// Where a space's and an access's counters begin; they come in groups of four.
constexpr Counter first_counter(MemorySpace space, AccessKind access) {
  const bool is_shared = space == MemorySpace::kShared;
  switch (access) {
    case AccessKind::kAtomic:
      return is_shared ? Counter::kSharedAtomicRequests : Counter::kGlobalAtomicRequests;
    case AccessKind::kWrite:
      return is_shared ? Counter::kSharedWriteRequests : Counter::kGlobalWriteRequests;
    default:
      return is_shared ? Counter::kSharedReadRequests : Counter::kGlobalReadRequests;
  }
}

struct LineCounters {
  std::string file;        // without folders; empty if unknown
  std::uint32_t line = 0;  // 0 if unknown
  CounterSet counters;
  // For each space and kind of access, the first of the costliest requests, if possible one with
  // all lanes.
  std::vector<AccessPattern> patterns;
};

struct KernelCounters {
  std::string name;                        // without scopes and template arguments
  CounterSet counters;                     // of all lines together
  run::Dim grid, block;                    // of the last launch
  std::uint64_t static_shared_bytes = 0;   // the most of any launch
  std::uint64_t dynamic_shared_bytes = 0;  // of the last launch
  std::vector<LineCounters> lines;         // by file and line
};

// How many blocks one multiprocessor holds at a time, and what limits that number.
struct Occupancy {
  std::uint32_t blocks = 0;
  std::uint32_t warps = 0;
  std::string_view limiter;  // "threads", "blocks" or "shared memory"
};
inline constexpr std::uint32_t kMaxWarpsPerMultiprocessor = 64;

// As of compute capability 9.0. Registers are unknown here and set no limit.
Occupancy occupancy(std::uint64_t threads_per_block, std::uint64_t shared_bytes);

}  // namespace count
