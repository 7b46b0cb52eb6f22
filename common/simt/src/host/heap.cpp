// SPDX-License-Identifier: MIT
// Device memory: a next-fit heap over the reserved range, and the judge's arenas behind it.
#include <sys/mman.h>

#include <algorithm>
#include <bitset>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <system_error>
#include <vector>

#include "allocations.h"
#include "simt/page.h"
#include "simt/sealed.h"

namespace simt {
namespace {

constexpr std::size_t kCommitBytes = std::size_t{2} << 20;
constexpr std::size_t kPoisonedBytes = std::size_t{32}
                                       << 20;  // at either end of a large allocation
constexpr std::size_t kMinPageBytes = 4096;    // of any system

// The search for room begins again from the start after this much, small allocations counting as
// they are and large ones, whose memory goes back when they are freed, as a page. That bounds the
// memory, records included, of kernels that allocate and free without end. Where many allocations
// live it goes further, so that passing them costs little.
constexpr std::size_t kMinRoundBytes = std::size_t{16} << 20;

// The last so many frees are recognised as such even if the search comes by.
constexpr std::uint64_t kQuarantinedFrees = 1024;

std::uintptr_t g_cursor = kDeviceBase;  // where the search for room goes on
std::size_t g_round_bytes = 0;          // taken since it was at the start
std::size_t g_num_live = 0;
std::uint64_t g_num_frees = 0;
std::uintptr_t g_committed_end = kDeviceBase;  // below it the heap has memory
std::uintptr_t g_arena_end = internal::kArenaBase;
std::vector<std::span<std::byte>>& arenas() {
  static auto* const mapped = new std::vector<std::span<std::byte>>;  // outlives all users
  return *mapped;
}
std::size_t g_used_bytes = 0;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool on_heap(const Allocation& allocation) {
  return is_device_address(allocation.base) &&
         reinterpret_cast<std::uintptr_t>(allocation.base) < internal::kArenaBase;
}

enum class Reuse { kOldFrees, kAllFrees };

// Finds `room` bytes from `start` on. Freed allocations in the way are forgotten now and not
// before: until the search comes by, their addresses are recognised as freed.
std::byte* take_room_from(std::uintptr_t start, std::size_t room, Reuse reuse) {
  auto& book = internal::book();
  auto next = book.lower_bound(reinterpret_cast<std::byte*>(start));
  while (start + room <= internal::kArenaBase) {
    if (next == book.end() || reinterpret_cast<std::uintptr_t>(next->first) >= start + room) {
      g_cursor = start + room;
      return reinterpret_cast<std::byte*>(start);
    }
    const Allocation& allocation = next->second;
    const bool is_recent =
        reuse == Reuse::kOldFrees && g_num_frees - allocation.freed_as < kQuarantinedFrees;
    if (allocation.live || is_recent) {
      const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(allocation.end());
      start = round_up(end + kRedZoneBytes, kAllocationAlignment);
      ++next;
    } else {
      next = book.erase(next);
      internal::touch();
    }
  }
  return nullptr;
}

// From the cursor on, then from the start; only then of recently freed allocations, in the same
// order, so that the latest are spared even where room is short.
std::byte* take_room(std::size_t room) {
  g_round_bytes += std::min(room, kMinPageBytes);
  constexpr std::size_t kSmallestRoom = kAllocationAlignment + kRedZoneBytes;
  if (g_round_bytes > std::max(kMinRoundBytes, g_num_live * kSmallestRoom)) {
    g_cursor = kDeviceBase;
    g_round_bytes = 0;
  }
  for (const Reuse reuse : {Reuse::kOldFrees, Reuse::kAllFrees}) {
    for (const std::uintptr_t start : {g_cursor, kDeviceBase}) {
      std::byte* const base = take_room_from(start, room, reuse);
      if (base != nullptr) return base;
    }
  }
  return nullptr;
}

bool commit_up_to(std::uintptr_t end) {
  if (end <= g_committed_end) return true;
  const std::size_t size_bytes = round_up(end - g_committed_end, kCommitBytes);
  if (mprotect(reinterpret_cast<void*>(g_committed_end), size_bytes, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  g_committed_end += size_bytes;
  return true;
}

void poison(std::byte* begin, std::byte* end) {
  std::fill(reinterpret_cast<std::uint32_t*>(begin), reinterpret_cast<std::uint32_t*>(end),
            kPoisonWord);
}

struct Range {
  std::byte* begin;
  std::byte* end;
};

// Of a huge allocation, the pages between its two ends: poison would occupy memory unused.
Range middle_of(std::byte* base, std::size_t size_bytes) {
  const std::size_t padded_bytes = round_up(size_bytes, kAllocationAlignment);
  if (padded_bytes <= 2 * kPoisonedBytes) return {base + padded_bytes, base + padded_bytes};
  const auto to_page = [](std::byte* p, std::size_t up) {
    return p + up - (reinterpret_cast<std::uintptr_t>(p) + up) % page_bytes();
  };
  return {to_page(base + kPoisonedBytes, page_bytes() - 1),
          to_page(base + padded_bytes - kPoisonedBytes, 0)};
}

void poison_fresh(std::byte* base, std::size_t size_bytes) {
  const Range middle = middle_of(base, size_bytes);
  poison(base, middle.begin);
  poison(middle.end, base + round_up(size_bytes, kAllocationAlignment));
}

// The pages of the device's range that are to hold poison from their first use on.
std::bitset<kDeviceRangeBytes / kMinPageBytes> g_unpoisoned_pages;

std::size_t page_number(const void* p) {
  return (reinterpret_cast<std::uintptr_t>(p) - kDeviceBase) / page_bytes();
}

void poison_middle_on_use(const Allocation& allocation) {
  const auto [begin, end] = middle_of(allocation.base, allocation.size_bytes);
  if (begin == end) return;
  madvise(begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
  madvise(begin, static_cast<std::size_t>(end - begin), MADV_NOHUGEPAGE);  // each page by itself
  for (std::size_t page = page_number(begin); page < page_number(end); ++page) {
    g_unpoisoned_pages.set(page);
  }
}

void forget_middle(const Allocation& allocation) {
  const auto [begin, end] = middle_of(allocation.base, allocation.size_bytes);
  if (begin == end) return;
  for (std::size_t page = page_number(begin); page < page_number(end); ++page) {
    g_unpoisoned_pages.reset(page);
  }
}

void give_pages_back(const Allocation& allocation) {
  const auto begin = round_up(reinterpret_cast<std::uintptr_t>(allocation.base), page_bytes());
  const auto end = reinterpret_cast<std::uintptr_t>(allocation.end()) / page_bytes() * page_bytes();
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void end_on_heap(Allocation& allocation) {
  g_used_bytes -= round_up(allocation.size_bytes, kAllocationAlignment);
  forget_middle(allocation);
  --g_num_live;
  allocation.freed_as = ++g_num_frees;
  internal::end(allocation);
  give_pages_back(allocation);
}

}  // namespace

void internal::reserve_range() {
  static bool reserved = false;
  if (reserved) return;
  void* const wanted = reinterpret_cast<void*>(kDeviceBase);
  void* const got = mmap(wanted, kDeviceRangeBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) {
    std::perror("simt: cannot reserve the address range of the emulated device's memory");
    std::exit(EXIT_FAILURE);
  }
  reserved = true;
}

void reserve_device_range() { internal::reserve_range(); }

void* allocate(std::size_t size_bytes, Allocation::Kind kind) {
  internal::reserve_range();
  if (size_bytes > kDeviceMemoryBytes) return nullptr;
  const std::size_t padded_bytes = round_up(size_bytes, kAllocationAlignment);
  if (padded_bytes > kDeviceMemoryBytes - g_used_bytes) return nullptr;
  std::byte* const base = take_room(padded_bytes + kRedZoneBytes);
  if (base == nullptr || !commit_up_to(g_cursor)) return nullptr;
  g_used_bytes += padded_bytes;
  ++g_num_live;
  poison_fresh(base, size_bytes);
  const bool is_fresh = kind == Allocation::Kind::kDevice || kind == Allocation::Kind::kDeviceHeap;
  internal::enter(base, size_bytes, "", kind, !is_fresh);
  Allocation& allocation = internal::book()[base];
  allocation.made_by = capture_call_stack();
  if (is_fresh) poison_middle_on_use(allocation);
  return base;
}

bool release(void* p, Allocation::Kind kind) {
  const auto found = internal::book().find(static_cast<std::byte*>(p));
  if (found == internal::book().end()) return false;
  Allocation& allocation = found->second;
  if (!allocation.live || allocation.kind != kind || !on_heap(allocation)) return false;
  end_on_heap(allocation);
  allocation.freed_by = capture_call_stack();
  return true;
}

void release_all() {
  for (auto& [base, allocation] : internal::book()) {
    if (!allocation.live || allocation.kind == Allocation::Kind::kPinnedHost) continue;
    if (on_heap(allocation)) {
      end_on_heap(allocation);
    } else {
      internal::end(allocation);
    }
  }
}

bool has_unpoisoned_memory() { return g_unpoisoned_pages.any(); }

void poison_on_first_use(const void* p, std::size_t size_bytes) {
  const std::size_t last = page_number(static_cast<const std::byte*>(p) + size_bytes - 1);
  for (std::size_t page = page_number(p); page <= last; ++page) {
    if (!g_unpoisoned_pages[page]) continue;
    g_unpoisoned_pages.reset(page);
    auto* const begin = reinterpret_cast<std::byte*>(kDeviceBase + page * page_bytes());
    unsigned char resident = 1;
    mincore(begin, page_bytes(), &resident);
    if ((resident & 1) == 0) poison(begin, begin + page_bytes());
  }
}

std::size_t used_bytes() { return g_used_bytes; }

void protect_device_memory(int protection) {
  if (g_committed_end > kDeviceBase) {
    mprotect(reinterpret_cast<void*>(kDeviceBase), g_committed_end - kDeviceBase, protection);
  }
  for (const std::span<std::byte> arena : arenas()) {
    mprotect(arena.data(), arena.size(), protection);
  }
}

namespace {

// fd -1: memory of our own, not shared.
void* map_behind_arenas(int fd, std::size_t size_bytes) {
  internal::reserve_range();
  const std::uintptr_t room = kSealedRoom - g_arena_end;
  if (size_bytes > room) throw std::system_error(ENOMEM, std::generic_category(), "map_shared");
  const int flags = MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
  void* const arena =
      mmap(reinterpret_cast<void*>(g_arena_end), size_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (arena == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "map_shared");
  arenas().emplace_back(static_cast<std::byte*>(arena), size_bytes);
  g_arena_end +=
      round_up(size_bytes, kCommitBytes) + kCommitBytes;  // a gap that no program may touch
  return arena;
}

}  // namespace

void* map_shared(int fd, std::size_t size_bytes) {
  if (fd < 0) throw std::system_error(EBADF, std::generic_category(), "map_shared");
  return map_behind_arenas(fd, size_bytes);
}

void* scratch_room(std::size_t size_bytes) {
  static std::byte* room = nullptr;
  static std::size_t room_bytes = 0;
  if (size_bytes > room_bytes) {
    // Twice what there was: its old addresses are not used again.
    const std::size_t padded_bytes = round_up(std::max(size_bytes, 2 * room_bytes), kCommitBytes);
    room = static_cast<std::byte*>(map_behind_arenas(-1, padded_bytes));
    room_bytes = padded_bytes;
    poison_fresh(room, room_bytes);
  }
  return room;
}

void retire_scratch(void* p) {
  const auto found = internal::book().find(static_cast<std::byte*>(p));
  if (found == internal::book().end() || !found->second.live) return;
  poison_fresh(found->second.base, found->second.size_bytes);
  internal::end(found->second);
}

}  // namespace simt
