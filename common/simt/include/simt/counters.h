// SPDX-License-Identifier: MIT
// What kernels did, counted exactly, as Nsight Compute counts on a device: by kernel and by source
// line. docs/counters.md defines each counter and says how threads are grouped into warps'
// instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simt/limits.h"
#include "simt/vector_types.h"

namespace simt {

enum class Counter : std::uint8_t {
#define SIMT_COUNTER(constant, name) constant,
#include "simt/counters.inc"
};
inline constexpr std::size_t kNumCounters = std::size_t(Counter::kDivergentBranches) + 1;

// "global_read_sectors"
const char* counter_name(Counter counter);

// True for the counters that keep the largest value seen; the others are sums.
constexpr bool is_maximum(Counter counter) {
  switch (counter) {
    case Counter::kGlobalAtomicMaxSameAddress:
    case Counter::kSharedAtomicMaxSameAddress:
    case Counter::kAtomicsMaxPerBlock:
    case Counter::kPollsMaxPerWarp:
    case Counter::kPublicationsMaxChain:
    case Counter::kBarriersMaxPerBlock:
      return true;
    default:
      return false;
  }
}

// One value for each counter.
class CounterSet {
 public:
  std::uint64_t operator[](Counter counter) const { return values_[std::size_t(counter)]; }
  std::uint64_t& operator[](Counter counter) { return values_[std::size_t(counter)]; }

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
  int size_bytes = 0;  // of one lane's access
  std::string base;    // the allocation or the __shared__ variable that offsets count from
  // In bytes, by lane; empty for an inactive lane.
  std::array<std::optional<std::int64_t>, kWarpSize> offsets = {};
  int cost = 0;  // sectors (global) or wavefronts (shared) that it took
};

struct LineCounters {
  std::string file;  // without folders; empty if unknown
  int line = 0;      // 0 if unknown
  CounterSet counters;
  // For each space and kind of access, the first of the costliest requests, if possible one with
  // all lanes.
  std::vector<AccessPattern> patterns;
};

// How many blocks one multiprocessor holds at a time, and what limits that number.
struct Occupancy {
  int blocks = 0;
  int warps = 0;
  std::string limiter;  // "threads", "blocks" or "shared memory"
};
inline constexpr int kMaxWarpsPerMultiprocessor = kMaxThreadsPerMultiprocessor / kWarpSize;

// Registers are unknown here and set no limit.
Occupancy occupancy(int threads_per_block, std::size_t shared_bytes);

struct KernelCounters {
  std::string name;                      // as written at the launch
  CounterSet counters;                   // of all lines together
  dim3 grid, block;                      // of the last launch
  std::size_t static_shared_bytes = 0;   // of the __shared__ variables that it wrote to
  std::size_t dynamic_shared_bytes = 0;  // of the last launch
  std::vector<LineCounters> lines;       // by file and line
};

// Whether later launches and copies are counted; off at first. Counting changes no result, but a
// thread that executes many hundred basic blocks without waiting gives the other threads of its
// warp a turn meanwhile.
void set_counting(bool on);
bool is_counting();

// Which counter has the bytes at `p` that a kernel accesses, because the host may use them there
// without a copy: kHostBytes for the host's memory and that of both, kVariableBytes for a
// __device__ variable, which only the emulator shows to the host. None for the device's other
// memory. Where the host is watched (see simt/closed_device.h), managed and pinned memory counts
// only by the pages that it uses.
std::optional<Counter> exposing_counter(const void* p);

// What the host side does for each row of a copy: its bytes are traffic of a kernel "cudaMemcpy".
struct CopyEnd {
  const void* address;
  bool is_devices;  // in device or managed memory; pinned memory is the host's here
};
void count_copy(const CopyEnd& to, const CopyEnd& from, std::size_t size_bytes);

// Returns what was counted since the last call, with kernels in order of their first launch.
std::vector<KernelCounters> take_counters();

}  // namespace simt
