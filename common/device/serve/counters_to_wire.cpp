// SPDX-License-Identifier: MIT
#include "serve/counters_to_wire.h"

#include <cstddef>
#include <string>

namespace serve {
namespace {

wire::Counters to_wire(const count::CounterSet& counters) {
  wire::Counters values;
  for (std::size_t i = 0; i < count::kNumCounters; ++i) {
    const auto counter = static_cast<count::Counter>(i);
    if (counters[counter] != 0) values[count::name_of(counter)] = counters[counter];
  }
  return values;
}

wire::Pattern to_wire(const count::AccessPattern& pattern) {
  wire::Pattern result{static_cast<wire::Space>(pattern.space),
                       static_cast<wire::Access>(pattern.access),
                       pattern.size_bytes,
                       pattern.cost,
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

wire::LineCounters to_wire(const count::LineCounters& line) {
  wire::LineCounters result{
      line.file, static_cast<std::int32_t>(line.line), to_wire(line.counters), {}};
  for (const count::AccessPattern& pattern : line.patterns) {
    result.patterns.push_back(to_wire(pattern));
  }
  return result;
}

// Without its lines.
wire::KernelCounters to_wire(const count::KernelCounters& kernel) {
  const count::Occupancy held = count::occupancy(
      kernel.block.count(), kernel.static_shared_bytes + kernel.dynamic_shared_bytes);
  return {kernel.name,
          to_wire(kernel.counters),
          {kernel.grid.x, kernel.grid.y, kernel.grid.z},
          {kernel.block.x, kernel.block.y, kernel.block.z},
          kernel.static_shared_bytes,
          kernel.dynamic_shared_bytes,
          {held.blocks, held.warps, count::kMaxWarpsPerMultiprocessor, std::string(held.limiter)},
          {}};
}

}  // namespace

std::vector<wire::KernelCounters> to_wire(const std::vector<count::KernelCounters>& kernels) {
  std::vector<wire::KernelCounters> result;
  for (const count::KernelCounters& kernel : kernels) {
    result.push_back(to_wire(kernel));
    for (const count::LineCounters& line : kernel.lines) {
      result.back().lines.push_back(to_wire(line));
    }
  }
  wire::fold(result);
  return result;
}

std::vector<wire::Shape> to_wire(const std::vector<timing::Shape>& shapes) {
  std::vector<wire::Shape> result;
  for (const timing::Shape& shape : shapes) {
    wire::Counters features;
    for (std::size_t i = 0; i < timing::kNumFeatures; ++i) {
      const auto feature = static_cast<timing::Feature>(i);
      if (shape.features[feature] != 0)
        features[timing::name_of(feature)] = shape.features[feature];
    }
    result.push_back({shape.kernel,
                      {shape.grid.x, shape.grid.y, shape.grid.z},
                      {shape.block.x, shape.block.y, shape.block.z},
                      shape.shared_bytes,
                      std::move(features),
                      {}});
    for (const timing::LineCost& line : shape.lines) {
      result.back().lines.push_back({line.file, static_cast<std::int32_t>(line.line), line.issued,
                                     line.path.cycles, line.path.loads});
    }
  }
  wire::fold(result);
  return result;
}

}  // namespace serve
