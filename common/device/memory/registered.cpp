// SPDX-License-Identifier: MIT
// Memory of the host's own that it has registered. Its pages keep their distances from each other
// where they can, because two pieces of registered memory may share a page.
#include "memory/book.h"
#include "memory/entries.h"
#include "memory/page.h"
#include "memory/range.h"

namespace memory {
namespace {

bool is_registered_base(std::uint64_t address) {
  return address >= kRegisteredBase && address < kManagedVariablesBase;
}

// Where the first live allocation ends that has bytes in [begin, end); 0: there is none.
std::uint64_t end_of_obstacle(std::uint64_t begin, std::uint64_t end) {
  auto next = entries().lower_bound(begin);
  if (next != entries().begin() && std::prev(next)->second.end() > begin) --next;
  for (; next != entries().end() && next->first < end; ++next) {
    if (next->second.live && next->second.end() > begin) return next->second.end();
  }
  return 0;
}

// The first place at `start` or behind it whose pages are free.
std::uint64_t first_place(std::uint64_t start, std::uint64_t size_bytes) {
  while (page_above(start + size_bytes) <= kManagedVariablesBase) {
    const std::uint64_t obstacle =
        end_of_obstacle(page_below(start), page_above(start + size_bytes));
    if (obstacle == 0) return start;
    start = page_above(obstacle) + start % page_bytes();
  }
  return 0;
}

}  // namespace

std::uint64_t register_host(std::uint64_t host, std::uint64_t size_bytes, std::uint64_t wanted,
                            const HostPlace& at) {
  reserve();
  if (size_bytes == 0 || size_bytes > kRegisteredBytes) return 0;
  std::uint64_t base = wanted;
  if (wanted != 0) {
    const bool is_inside =
        is_registered_base(wanted) && page_above(wanted + size_bytes) <= kManagedVariablesBase;
    if (!is_inside || end_of_obstacle(wanted, wanted + size_bytes) != 0) return 0;
  } else {
    base = first_place(kRegisteredBase + host % kRegisteredBytes, size_bytes);
    if (base == 0) base = first_place(kRegisteredBase + host % page_bytes(), size_bytes);
    if (base == 0) return 0;
  }
  Allocation allocation;
  allocation.base = base;
  allocation.size_bytes = size_bytes;
  allocation.kind = Allocation::Kind::kPinnedHost;
  allocation.made_at = at;
  enter(std::move(allocation), true);
  return base;
}

bool unregister_host(std::uint64_t address, const HostPlace& at) {
  const auto found = entries().find(address);
  if (!is_registered_base(address) || found == entries().end() || !found->second.live) return false;
  found->second.freed_at = at;
  end(found->second);
  give_pages_back(found->second.base, found->second.end());
  return true;
}

}  // namespace memory
