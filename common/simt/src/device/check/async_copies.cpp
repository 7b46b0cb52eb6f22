// SPDX-License-Identifier: MIT
#include "check/async_copies.h"

#include <algorithm>
#include <cstring>

#include "run/shared_memory.h"

namespace simt::device {

void AsyncCopies::begin(std::uintptr_t address, std::size_t size_bytes, const void* pc,
                        SharedShadow& shadow) {
  SharedRegion* const region = shadow.region_of(address);
  Copy copy = {address, size_bytes, {}, num_batches_, pc, false};
  if (region == nullptr || size_bytes > copy.contents.size()) return;
  auto* const room = reinterpret_cast<std::byte*>(address);
  std::memcpy(copy.contents.data(), room, size_bytes);
  poison({room, size_bytes});
  region->written.clear(address, size_bytes);
  under_way_.push_back(copy);
}

std::vector<const void*> AsyncCopies::wait(std::size_t num_later_batches, SharedShadow& shadow) {
  const auto later = std::find_if(under_way_.begin(), under_way_.end(), [&](const Copy& copy) {
    return copy.batch + num_later_batches >= num_batches_;
  });
  std::for_each(under_way_.begin(), later, [&](const Copy& copy) { arrive(copy, shadow); });
  under_way_.erase(under_way_.begin(), later);
  num_batches_waited_ = num_batches_;
  num_left_ = num_later_batches;
  std::vector<const void*> left;
  for (Copy& copy : under_way_) {
    if (copy.batch >= num_batches_ || copy.was_left) continue;
    copy.was_left = true;
    left.push_back(copy.pc);
  }
  return left;
}

std::optional<LateCopy> AsyncCopies::find(std::uintptr_t address, std::size_t size_bytes) const {
  const auto found = std::find_if(under_way_.begin(), under_way_.end(), [&](const Copy& copy) {
    return copy.address < address + size_bytes && address < copy.address + copy.size_bytes;
  });
  if (found == under_way_.end()) return std::nullopt;
  const bool was_left = found->batch < num_batches_waited_;
  return LateCopy{found->pc, found->batch < num_batches_, was_left ? num_left_ : 0};
}

void AsyncCopies::arrive(const Copy& copy, SharedShadow& shadow) {
  std::memcpy(reinterpret_cast<void*>(copy.address), copy.contents.data(), copy.size_bytes);
  if (SharedRegion* const region = shadow.region_of(copy.address)) {
    region->written.set(copy.address, copy.size_bytes);
  }
}

}  // namespace simt::device
