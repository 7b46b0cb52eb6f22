// SPDX-License-Identifier: MIT
#include "count/exposure.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace count {
namespace {

using Kind = memory::Allocation::Kind;

}  // namespace

std::optional<Counter> exposing_counter(std::uint64_t address) {
  const memory::Allocation* const found = memory::find(address);
  if (found == nullptr || !found->contains(address)) return std::nullopt;
  if (found->is_hosts_too()) return Counter::kHostBytes;
  if (found->kind == Kind::kSymbol) return Counter::kVariableBytes;
  return std::nullopt;
}

void Exposure::begin_launch() {
  pages_.clear();
  last_ = {};
  if (version_ == memory::version()) return;
  version_ = memory::version();
  first_variable_ = UINT64_MAX;
  end_of_variables_ = 0;
  for (const memory::Allocation* const allocation : memory::live_allocations()) {
    if (allocation->kind != Kind::kSymbol) continue;
    first_variable_ = std::min(first_variable_, allocation->base);
    end_of_variables_ = std::max(end_of_variables_, allocation->end());
  }
}

bool Exposure::may_expose_some(const run::Access& access) const {
  std::uint64_t low = UINT64_MAX;
  std::uint64_t high = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    low = std::min(low, address);
    high = std::max(high, address);
  }
  return may_expose(low, high, access.writes);
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
    if (memory == nullptr) continue;
    const bool is_variable = memory->kind == Kind::kSymbol && access.writes;
    if (!is_variable && !memory->is_hosts_too()) continue;
    const std::uint64_t end = address + access.size_bytes;
    for (std::uint64_t word = address / kWordBytes; word * kWordBytes < end; ++word) {
      const std::uint64_t in_page = word % (memory::kMinPageBytes / kWordBytes);
      Words& words = pages_[word * kWordBytes / memory::kMinPageBytes];
      if (words[in_page]) continue;
      words.set(in_page);
      if (is_variable) {
        place.counters[Counter::kVariableBytes] += kWordBytes;
      } else {
        kernel.expose(place, memory::page_below(word * kWordBytes), kWordBytes);
      }
    }
  }
}

}  // namespace count
