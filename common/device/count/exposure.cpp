// SPDX-License-Identifier: MIT
#include "count/exposure.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace count {

bool is_hosts_too(std::uint64_t address) {
  const memory::Allocation* const found = memory::find(address);
  return found != nullptr && found->contains(address) && found->is_hosts_too();
}

void Exposure::begin_launch() {
  expose_anew();
  last_ = {};
  if (version_ == memory::version()) return;
  version_ = memory::version();
  has_hosts_memory_ =
      std::ranges::any_of(memory::live_allocations(), &memory::Allocation::is_hosts_too);
}

const memory::Allocation* Exposure::find(std::uint64_t address) {
  if (last_.contains(address)) return &last_;
  const memory::Allocation* const found = memory::find(address);
  if (found == nullptr || !found->contains(address)) return nullptr;
  last_ = *found;
  return &last_;
}

void Exposure::count(const run::Access& access, KernelTally& kernel, Place& place) {
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    const memory::Allocation* const memory = find(address);
    if (memory == nullptr || !memory->is_hosts_too()) continue;
    const std::uint64_t end = address + access.size_bytes;
    for (std::uint64_t word = address / kWordBytes; word * kWordBytes < end; ++word) {
      const std::uint64_t in_page = word % (memory::kMinPageBytes / kWordBytes);
      Words& words = pages_[word * kWordBytes / memory::kMinPageBytes];
      if (words[in_page]) continue;
      words.set(in_page);
      kernel.expose(place, memory::page_below(word * kWordBytes), kWordBytes);
    }
  }
}

}  // namespace count
