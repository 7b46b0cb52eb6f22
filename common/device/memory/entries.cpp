// SPDX-License-Identifier: MIT
#include "memory/entries.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace memory {
namespace {

std::uint64_t g_version = 1;
std::uint64_t g_last_id = 0;
Observer* g_observer = nullptr;

std::uint64_t distance(const Allocation& allocation, std::uint64_t address) {
  if (address < allocation.base) return allocation.base - address;
  return address < allocation.end() ? 0 : address - allocation.end() + 1;
}

}  // namespace

std::map<std::uint64_t, Allocation>& entries() {
  static auto* const book = new std::map<std::uint64_t, Allocation>;  // outlives all users
  return *book;
}

void note_change() { ++g_version; }

Allocation& enter(Allocation allocation, bool initialised) {
  const std::uint64_t base = allocation.base;
  const auto old = entries().find(base);
  if (old != entries().end() && old->second.live) end(old->second);
  // What was here has ended, but would still be found as the nearest allocation: forget it.
  for (auto stale = entries().upper_bound(base);
       stale != entries().end() && stale->first < allocation.end();) {
    stale = stale->second.live ? std::next(stale) : entries().erase(stale);
  }
  Allocation& entry = entries()[base];
  entry = std::move(allocation);
  entry.live = true;
  entry.id = ++g_last_id;
  if (entry.name.empty()) entry.name = "allocation " + std::to_string(entry.id);
  note_change();
  if (g_observer != nullptr) g_observer->on_allocate(entry, initialised);
  return entry;
}

void end(Allocation& allocation) {
  allocation.live = false;
  note_change();
  if (g_observer != nullptr) g_observer->on_release(allocation);
}

const Allocation* find(std::uint64_t address) {
  const auto& book = entries();
  // Allocations do not overlap, so only the neighbours on both sides can hold the address or be
  // nearest to it.
  const auto after = book.upper_bound(address);
  const Allocation* const below = after == book.begin() ? nullptr : &std::prev(after)->second;
  const Allocation* const above = after == book.end() ? nullptr : &after->second;
  if (below == nullptr || above == nullptr) return below != nullptr ? below : above;
  return distance(*below, address) <= distance(*above, address) ? below : above;
}

std::uint64_t version() { return g_version; }

std::vector<const Allocation*> live_allocations() {
  std::vector<const Allocation*> result;
  for (const auto& [base, allocation] : entries()) {
    if (allocation.live) result.push_back(&allocation);
  }
  std::ranges::sort(result, {}, &Allocation::id);
  return result;
}

void declare(std::uint64_t base, std::uint64_t size_bytes, std::string name, bool initialised,
             Allocation::Kind kind) {
  Allocation allocation;
  allocation.base = base;
  allocation.size_bytes = size_bytes;
  allocation.name = std::move(name);
  allocation.kind = kind;
  enter(std::move(allocation), initialised);
}

void retire(std::uint64_t base) {
  const auto found = entries().find(base);
  if (found != entries().end() && found->second.live) end(found->second);
}

void set_observer(Observer* observer) { g_observer = observer; }
Observer* observer() { return g_observer; }

}  // namespace memory
