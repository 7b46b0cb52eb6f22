// SPDX-License-Identifier: MIT
#include "record/arrays.h"

#include <algorithm>

#include "memory/book.h"

namespace record {
namespace {

using run::Access;
using run::Space;

const run::Block& owner_of(const run::Warp& warp, const Access& access) {
  return access.owner != nullptr ? *access.owner : *warp.block;
}

// Where nothing is: as much as one access.
void place_outside(RecordedArray& array, std::uint64_t address, const char* name) {
  array.name = name;
  array.base = address / kMaxValueBytes * kMaxValueBytes;
  array.size_bytes = kMaxValueBytes;
}

RecordedArray shared_array(const run::Block& owner, std::uint64_t offset) {
  const code::Function& kernel = *owner.launch->kernel;
  RecordedArray array;
  array.is_shared = true;
  array.block = static_cast<std::int64_t>(owner.linear);
  for (const code::SharedVariable& variable : kernel.shared) {
    if (offset - variable.offset >= variable.size_bytes) continue;
    array.name = variable.name;
    array.base = variable.offset;
    array.size_bytes = variable.size_bytes;
    return array;
  }
  const std::uint64_t dynamic_bytes = owner.launch->dynamic_shared_bytes;
  if (offset - kernel.dynamic_shared_offset < dynamic_bytes) {
    array.name = "dynamic shared memory";
    array.base = kernel.dynamic_shared_offset;
    array.size_bytes = dynamic_bytes;
    return array;
  }
  if (offset >= owner.shared_bytes) {
    place_outside(array, offset, "outside of shared memory");
    return array;
  }
  array.name = "shared memory";  // between the variables
  array.size_bytes = owner.shared_bytes;
  return array;
}

RecordedArray global_array(std::uint64_t address) {
  RecordedArray array;
  const memory::Allocation* const allocation = memory::find(address);
  if (allocation == nullptr || !allocation->contains(address)) {
    place_outside(array, address, "outside of all allocations");
    return array;
  }
  array.name = allocation->name;
  array.base = allocation->base;
  array.size_bytes = allocation->size_bytes;
  array.file = allocation->made_at.file.substr(allocation->made_at.file.rfind('/') + 1);
  array.line = allocation->made_at.line;
  return array;
}

}  // namespace

std::size_t array_of(std::vector<RecordedArray>& arrays, const run::Warp& warp,
                     const Access& access, std::size_t lane) {
  const std::uint64_t address = access.address[lane];
  const bool is_shared = access.space == Space::kShared;
  const run::Block& owner = owner_of(warp, access);
  const std::int64_t block =
      is_shared ? static_cast<std::int64_t>(owner.linear) : RecordedArray::kEveryBlock;
  RecordedArray wanted = is_shared ? shared_array(owner, address) : RecordedArray{};
  const auto known = std::ranges::find_if(arrays, [&](const RecordedArray& array) {
    if (array.is_shared != is_shared || array.block != block) return false;
    return is_shared ? array.name == wanted.name && array.base == wanted.base
                     : address - array.base < array.size_bytes;
  });
  if (known != arrays.end()) return static_cast<std::size_t>(known - arrays.begin());
  arrays.push_back(is_shared ? std::move(wanted) : global_array(address));
  return arrays.size() - 1;
}

const std::byte* bytes_of(const run::Warp& warp, const Access& access, std::size_t lane) {
  const std::uint64_t address = access.address[lane];
  if (access.space == Space::kShared) {
    const run::Block& owner = owner_of(warp, access);
    const bool is_inside = access.size_bytes <= owner.shared_bytes &&
                           address <= owner.shared_bytes - access.size_bytes;
    return is_inside ? owner.shared + address : nullptr;
  }
  const memory::Allocation* const found = memory::find(address);
  if (found == nullptr || !found->contains(address, access.size_bytes)) return nullptr;
  return reinterpret_cast<const std::byte*>(address);
}

}  // namespace record
