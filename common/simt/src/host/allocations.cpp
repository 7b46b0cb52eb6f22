// SPDX-License-Identifier: MIT
#include "allocations.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace simt {
namespace {

std::uint64_t g_version = 1;
std::uint64_t g_last_id = 0;
int g_num_shared_with_host = 0;  // live ones
MemoryObserver* g_observer = nullptr;

std::size_t distance(const Allocation& allocation, const std::byte* p) {
  if (p < allocation.base) return static_cast<std::size_t>(allocation.base - p);
  return p < allocation.end() ? 0 : static_cast<std::size_t>(p - allocation.end()) + 1;
}

}  // namespace

namespace internal {

std::map<const std::byte*, Allocation>& book() {
  static auto* const entries = new std::map<const std::byte*, Allocation>;  // outlives all users
  return *entries;
}

void touch() { ++g_version; }

void enter(std::byte* base, std::size_t size_bytes, std::string name, Allocation::Kind kind,
           bool initialised) {
  const auto old = book().find(base);
  if (old != book().end() && old->second.live) end(old->second);
  // The allocation that was here has ended, but would still be found as the nearest: forget it.
  for (auto stale = book().upper_bound(base);
       stale != book().end() && stale->first < base + size_bytes;) {
    stale = stale->second.live ? std::next(stale) : book().erase(stale);
  }
  Allocation& entry = book()[base];
  entry = {base, size_bytes, std::move(name), kind, true, ++g_last_id, {}, {}, 0};
  if (entry.name.empty()) entry.name = "allocation " + std::to_string(entry.id);
  g_num_shared_with_host += entry.host_accessible();
  touch();
  if (g_observer != nullptr) g_observer->on_allocate(entry, initialised);
}

void end(Allocation& allocation) {
  allocation.live = false;
  g_num_shared_with_host -= allocation.host_accessible();
  touch();
  if (g_observer != nullptr) g_observer->on_release(allocation);
}

}  // namespace internal

const Allocation* find_allocation(const void* address) {
  const auto* const p = static_cast<const std::byte*>(address);
  const auto& book = internal::book();
  // Allocations do not overlap, so only the neighbours on both
  // sides can hold p or be nearest to it.
  const auto after = book.upper_bound(p);
  const Allocation* const below = after == book.begin() ? nullptr : &std::prev(after)->second;
  const Allocation* const above = after == book.end() ? nullptr : &after->second;
  if (below == nullptr || above == nullptr) return below != nullptr ? below : above;
  return distance(*below, p) <= distance(*above, p) ? below : above;
}

std::uint64_t allocation_version() { return g_version; }

bool is_shared_with_host(const void* p) {
  if (g_num_shared_with_host == 0) return false;
  const Allocation* const found = find_allocation(p);
  return found->live && found->contains(p) && found->host_accessible();
}

std::vector<const Allocation*> live_allocations() {
  std::vector<const Allocation*> result;
  for (const auto& [base, allocation] : internal::book()) {
    if (allocation.live) result.push_back(&allocation);
  }
  std::sort(result.begin(), result.end(),
            [](const Allocation* a, const Allocation* b) { return a->id < b->id; });
  return result;
}

void register_allocation(void* p, std::size_t size_bytes, std::string name, Allocation::Kind kind) {
  internal::enter(static_cast<std::byte*>(p), size_bytes, std::move(name), kind, true);
}

void declare_allocation(void* p, std::size_t size_bytes, const char* name, bool initialised,
                        Allocation::Kind kind) {
  internal::enter(static_cast<std::byte*>(p), size_bytes, name, kind, initialised);
}

void retire_allocation(void* p) {
  const auto found = internal::book().find(static_cast<std::byte*>(p));
  if (found != internal::book().end() && found->second.live) internal::end(found->second);
}

void set_memory_observer(MemoryObserver* observer) { g_observer = observer; }
MemoryObserver* memory_observer() { return g_observer; }

}  // namespace simt
