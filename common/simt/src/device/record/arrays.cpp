// SPDX-License-Identifier: MIT
#include "record/arrays.h"

#include <algorithm>
#include <string>

#include "program/address.h"
#include "program/shared_variables.h"
#include "program/source_line.h"
#include "run/running.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

RecordedArray shared_array(std::uintptr_t address, std::uint64_t block) {
  RecordedArray array;
  array.space = MemorySpace::kShared;
  array.block = static_cast<std::int64_t>(block);
  const AddressRange& memory = running.static_shared;
  if (!memory.contains(address)) {
    array.name = "dynamic shared memory";
    array.base = running.dynamic_shared.low;
    array.size_bytes = running.dynamic_shared.size_bytes;
    return array;
  }
  const SharedVariable* const variable = find_shared_variable(address - memory.low);
  array.name = variable == nullptr ? "shared memory" : variable->name;
  array.base = memory.low + (variable == nullptr ? 0 : variable->offset);
  array.size_bytes = variable == nullptr ? memory.size_bytes : variable->size_bytes;
  return array;
}

RecordedArray global_array(std::uintptr_t address) {
  RecordedArray array;
  const void* const p = reinterpret_cast<const void*>(address);
  const Allocation* const allocation = find_allocation(p);
  if (allocation == nullptr || !allocation->contains(p)) {
    const std::string name = variable_at(address);
    array.name = name.empty() ? "a __device__ variable" : name;
    array.base = address;
    array.size_bytes = kMaxValueBytes;
    return array;
  }
  const SourcePlace place = program_place(allocation->made_by);
  array.name = allocation->name;
  array.base = number(allocation->base);
  array.size_bytes = allocation->size_bytes;
  array.file = place.file;
  array.line = place.line;
  return array;
}

}  // namespace

std::size_t array_of(std::vector<RecordedArray>& arrays, MemorySpace space, std::uintptr_t address,
                     std::uint64_t block) {
  const auto owner =
      space == MemorySpace::kShared ? static_cast<std::int64_t>(block) : RecordedArray::kEveryBlock;
  const auto known = std::find_if(arrays.begin(), arrays.end(), [&](const RecordedArray& array) {
    return array.space == space && array.block == owner && address - array.base < array.size_bytes;
  });
  if (known != arrays.end()) return static_cast<std::size_t>(known - arrays.begin());
  arrays.push_back(space == MemorySpace::kShared ? shared_array(address, block)
                                                 : global_array(address));
  return arrays.size() - 1;
}

}  // namespace simt::device
