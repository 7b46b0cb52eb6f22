// SPDX-License-Identifier: MIT
#include "count/access_pattern.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "program/shared_variables.h"
#include "run/running.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

struct Base {
  std::string name;
  std::uintptr_t address;
};

Base global_base(std::uintptr_t address) {
  const void* const p = reinterpret_cast<const void*>(address);
  const Allocation* const allocation = find_allocation(p);
  if (allocation == nullptr || !allocation->contains(p)) return {"a __device__ variable", address};
  return {allocation->name, reinterpret_cast<std::uintptr_t>(allocation->base)};
}

Base shared_base(std::uintptr_t address) {
  const AddressRange& memory = running.static_shared;
  if (!memory.contains(address)) return {"dynamic shared memory", running.dynamic_shared.low};
  const std::size_t offset = address - memory.low;
  const SharedVariable* const variable = find_shared_variable(offset);
  if (variable == nullptr) return {"shared memory", memory.low};
  return {variable->name, memory.low + variable->offset};
}

bool has_all_lanes(const AccessPattern& pattern) {
  return std::all_of(pattern.offsets.begin(), pattern.offsets.end(),
                     [](const auto& offset) { return offset.has_value(); });
}

}  // namespace

AccessPattern access_pattern(const Request& request, int cost) {
  const std::uintptr_t any = request.addresses[std::countr_zero(request.lanes)];
  const Base base = request.space == MemorySpace::kGlobal ? global_base(any) : shared_base(any);
  AccessPattern pattern{request.space, request.access, request.size_bytes, base.name, {}, cost};
  for (std::uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    pattern.offsets[lane] = static_cast<std::int64_t>(request.addresses[lane] - base.address);
  }
  return pattern;
}

void add_pattern(std::vector<AccessPattern>& patterns, const AccessPattern& pattern) {
  const auto same = std::find_if(patterns.begin(), patterns.end(), [&](const AccessPattern& other) {
    return other.space == pattern.space && other.access == pattern.access;
  });
  if (same == patterns.end()) {
    patterns.push_back(pattern);
  } else if (std::pair(has_all_lanes(*same), same->cost) <
             std::pair(has_all_lanes(pattern), pattern.cost)) {
    *same = pattern;
  }
}

}  // namespace simt::device
