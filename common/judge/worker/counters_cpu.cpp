// SPDX-License-Identifier: MIT
#include "worker/counters_cpu.h"

#include "simt/counters.h"

namespace worker {
namespace {

wire::Counters to_wire(const simt::CounterSet& counters) {
  wire::Counters values;
  for (std::size_t i = 0; i < simt::kNumCounters; ++i) {
    const auto counter = static_cast<simt::Counter>(i);
    if (counters[counter] != 0) values[simt::counter_name(counter)] = counters[counter];
  }
  return values;
}

wire::Pattern to_wire(const simt::AccessPattern& pattern) {
  wire::Pattern result{static_cast<wire::Space>(pattern.space),
                       static_cast<wire::Access>(pattern.access),
                       static_cast<std::uint32_t>(pattern.size_bytes),
                       static_cast<std::uint32_t>(pattern.cost),
                       0,
                       pattern.base,
                       {}};
  for (std::size_t lane = 0; lane < wire::kWarpSize; ++lane) {
    if (!pattern.offsets[lane]) continue;
    result.lanes |= 1U << lane;
    result.offsets[lane] = *pattern.offsets[lane];
  }
  return result;
}

wire::LineCounters to_wire(const simt::LineCounters& line) {
  wire::LineCounters result{line.file, line.line, to_wire(line.counters), {}};
  for (const simt::AccessPattern& pattern : line.patterns) {
    result.patterns.push_back(to_wire(pattern));
  }
  return result;
}

// Without its lines.
wire::KernelCounters to_wire(const simt::KernelCounters& kernel) {
  const auto threads = static_cast<int>(kernel.block.x * kernel.block.y * kernel.block.z);
  const simt::Occupancy held =
      simt::occupancy(threads, kernel.static_shared_bytes + kernel.dynamic_shared_bytes);
  return {kernel.name,
          to_wire(kernel.counters),
          {kernel.grid.x, kernel.grid.y, kernel.grid.z},
          {kernel.block.x, kernel.block.y, kernel.block.z},
          kernel.static_shared_bytes,
          kernel.dynamic_shared_bytes,
          {static_cast<std::uint32_t>(held.blocks), static_cast<std::uint32_t>(held.warps),
           static_cast<std::uint32_t>(simt::kMaxWarpsPerMultiprocessor), held.limiter},
          {}};
}

}  // namespace

std::vector<wire::KernelCounters> take_counters() {
  std::vector<wire::KernelCounters> result;
  for (const simt::KernelCounters& kernel : simt::take_counters()) {
    result.push_back(to_wire(kernel));
    for (const simt::LineCounters& line : kernel.lines) {
      result.back().lines.push_back(to_wire(line));
    }
  }
  wire::fold(result);
  return result;
}

}  // namespace worker
