// SPDX-License-Identifier: MIT
#include "measure/counters_json.h"

#include <array>

#include "fixture/json.h"

namespace judge {
namespace {

// Ignore anything that a worker sends under another name.
constexpr std::array kCounterNames = {
#define DEVICE_COUNTER(constant, name) name,
#include "../../device/count/counters.inc"
};

std::string to_json(const std::array<std::uint32_t, 3>& extent) {
  return json::array(
      {std::to_string(extent[0]), std::to_string(extent[1]), std::to_string(extent[2])});
}

std::string to_json(const wire::Counters& counters) {
  json::Members members;
  for (const char* const name : kCounterNames) {
    members.emplace_back(name, std::to_string(wire::value_of(counters, name)));
  }
  return json::object(members);
}

std::string to_json(const wire::Pattern& pattern) {
  std::vector<std::string> offsets;
  for (std::size_t lane = 0; lane < wire::kWarpSize; ++lane) {
    const bool takes_part = (pattern.lanes >> lane & 1) != 0;
    offsets.push_back(takes_part ? std::to_string(pattern.offsets[lane]) : "null");
  }
  const bool is_global = pattern.space == wire::Space::kGlobal;
  const char* const access = pattern.access == wire::Access::kRead    ? "read"
                             : pattern.access == wire::Access::kWrite ? "write"
                                                                      : "atomic";
  return json::object({{"space", json::quote(is_global ? "global" : "shared")},
                       {"access", json::quote(access)},
                       {"size_bytes", std::to_string(pattern.size_bytes)},
                       {"base", json::quote(pattern.base)},
                       {"offsets", json::array(offsets)},
                       {is_global ? "sectors" : "wavefronts", std::to_string(pattern.cost)}});
}

std::string to_json(const wire::LineCounters& line) {
  std::vector<std::string> patterns;
  for (const wire::Pattern& pattern : line.patterns) patterns.push_back(to_json(pattern));
  return json::object({{"file", json::quote(line.file)},
                       {"line", std::to_string(line.line)},
                       {"counters", to_json(line.counters)},
                       {"patterns", json::array(patterns)}});
}

std::string to_json(const wire::Occupancy& occupancy) {
  return json::object({{"blocks", std::to_string(occupancy.blocks)},
                       {"warps", std::to_string(occupancy.warps)},
                       {"of_warps", std::to_string(occupancy.of_warps)},
                       {"limiter", json::quote(occupancy.limiter)}});
}

std::string to_json(const wire::KernelCounters& kernel) {
  std::vector<std::string> lines;
  for (const wire::LineCounters& line : kernel.lines) lines.push_back(to_json(line));
  return json::object({{"name", json::quote(kernel.name)},
                       {"launches", std::to_string(wire::value_of(kernel.counters, "launches"))},
                       {"grid", to_json(kernel.grid)},
                       {"block", to_json(kernel.block)},
                       {"static_shared_bytes", std::to_string(kernel.static_shared_bytes)},
                       {"dynamic_shared_bytes", std::to_string(kernel.dynamic_shared_bytes)},
                       {"occupancy", to_json(kernel.occupancy)},
                       {"counters", to_json(kernel.counters)},
                       {"lines", json::array(lines)}});
}

}  // namespace

std::string counters_by_kernel(const std::vector<wire::KernelCounters>& kernels) {
  json::Members members;
  members.reserve(kernels.size());
  for (const wire::KernelCounters& kernel : kernels) {
    members.emplace_back(kernel.name, to_json(kernel.counters));
  }
  return json::object(members);
}

std::string kernels_json(const std::vector<wire::KernelCounters>& kernels) {
  std::vector<std::string> elements;
  elements.reserve(kernels.size());
  for (const wire::KernelCounters& kernel : kernels) elements.push_back(to_json(kernel));
  return json::array(elements);
}

std::string shapes_json(const std::vector<wire::Shape>& shapes) {
  static constexpr std::array kFeatureNames = {
#define DEVICE_FEATURE(constant, name) name,
#include "../../device/time/features.inc"
  };
  std::vector<std::string> elements;
  for (const wire::Shape& shape : shapes) {
    json::Members features;
    for (const char* const name : kFeatureNames) {
      features.emplace_back(name, std::to_string(wire::value_of(shape.features, name)));
    }
    std::vector<std::string> lines;
    for (const wire::LineTime& line : shape.lines) {
      lines.push_back(json::object({{"file", json::quote(line.file)},
                                    {"line", std::to_string(line.line)},
                                    {"issued", std::to_string(line.issued)},
                                    {"cycles", std::to_string(line.cycles)},
                                    {"loads", std::to_string(line.loads)}}));
    }
    elements.push_back(json::object({{"kernel", json::quote(shape.kernel)},
                                     {"grid", to_json(shape.grid)},
                                     {"block", to_json(shape.block)},
                                     {"shared_bytes", std::to_string(shape.shared_bytes)},
                                     {"features", json::object(features)},
                                     {"lines", json::array(lines)}}));
  }
  return json::array(elements);
}

}  // namespace judge
