// SPDX-License-Identifier: MIT
// Device memory that programs allocate: two next-fit heaps, of what only the device has and of what
// the host has, too.
#include <algorithm>
#include <array>
#include <utility>

#include "memory/book.h"
#include "memory/entries.h"
#include "memory/page.h"
#include "memory/poison.h"
#include "memory/range.h"

namespace memory {
namespace {

// The search for room begins again from the start after this much, small allocations counting as
// they are and large ones, whose memory goes back when they are freed, as a page. That bounds the
// memory, records included, of kernels that allocate and free without end. Where many allocations
// live it goes further, so that passing them costs little.
constexpr std::uint64_t kMinRoundBytes = std::uint64_t{16} << 20;

// The last so many frees are recognised as such even if the search comes by.
constexpr std::uint64_t kQuarantinedFrees = 1024;

std::uint64_t g_num_frees = 0;
std::uint64_t g_used_bytes = 0;

enum class Reuse { kOldFrees, kAllFrees };

class Heap {
 public:
  // Below `committed_end` it has memory.
  Heap(std::uint64_t begin, std::uint64_t end, std::uint64_t committed_end)
      : begin_(begin), end_(end), cursor_(begin), committed_end_(committed_end) {}

  bool contains(std::uint64_t address) const { return address >= begin_ && address < end_; }
  void note_live(int change) { num_live_ += static_cast<std::uint64_t>(change); }

  // Finds `room` bytes with memory behind them; 0: there are none. From the cursor on, then from
  // the start; only then of recently freed allocations, in the same order, so that the latest are
  // spared even where room is short.
  std::uint64_t take(std::uint64_t room) {
    round_bytes_ += std::min<std::uint64_t>(room, kMinPageBytes);
    constexpr std::uint64_t kSmallestRoom = kAllocationAlignment + kRedZoneBytes;
    if (round_bytes_ > std::max(kMinRoundBytes, num_live_ * kSmallestRoom)) {
      cursor_ = begin_;
      round_bytes_ = 0;
    }
    for (const Reuse reuse : {Reuse::kOldFrees, Reuse::kAllFrees}) {
      for (const std::uint64_t start : {cursor_, begin_}) {
        const std::uint64_t base = take_from(start, room, reuse);
        if (base != 0) return commit_up_to(base + room) ? base : 0;
      }
    }
    return 0;
  }

 private:
  // Freed allocations in the way are forgotten now and not before: until the search comes by, their
  // addresses are recognised as freed.
  std::uint64_t take_from(std::uint64_t start, std::uint64_t room, Reuse reuse) {
    auto next = entries().lower_bound(start);
    while (start + room <= end_) {
      if (next == entries().end() || next->first >= start + room) {
        cursor_ = start + room;
        return start;
      }
      const Allocation& allocation = next->second;
      const bool is_recent =
          reuse == Reuse::kOldFrees && g_num_frees - allocation.freed_as < kQuarantinedFrees;
      if (allocation.live || is_recent) {
        start = round_up(allocation.end() + kRedZoneBytes, kAllocationAlignment);
        ++next;
      } else {
        next = entries().erase(next);
        note_change();
      }
    }
    return 0;
  }

  bool commit_up_to(std::uint64_t end) {
    if (end <= committed_end_) return true;
    const std::uint64_t size_bytes = round_up(end - committed_end_, kCommitBytes);
    if (!commit(committed_end_, size_bytes)) return false;
    committed_end_ += size_bytes;
    return true;
  }

  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t cursor_;           // where the search for room goes on
  std::uint64_t round_bytes_ = 0;  // taken since it was at the start
  std::uint64_t num_live_ = 0;
  std::uint64_t committed_end_;
};

std::array<Heap, 2>& heaps() {
  static std::array<Heap, 2> both{Heap(kDeviceBase, kArenaBase, kDeviceBase),
                                  Heap(kSharedWithHostBase, kRegisteredBase, kRegisteredBase)};
  return both;
}

Heap* heap_of(std::uint64_t address) {
  for (Heap& heap : heaps()) {
    if (heap.contains(address)) return &heap;
  }
  return nullptr;
}

void end_on_heap(Heap& heap, Allocation& allocation) {
  g_used_bytes -= round_up(allocation.size_bytes, kAllocationAlignment);
  forget_middle(allocation.base, allocation.size_bytes);
  heap.note_live(-1);
  allocation.freed_as = ++g_num_frees;
  end(allocation);
  give_pages_back(allocation.base, allocation.end());
}

}  // namespace

std::uint64_t allocate(std::uint64_t size_bytes, Allocation::Kind kind, const HostPlace& at) {
  reserve();
  if (size_bytes == 0 || size_bytes > kDeviceMemoryBytes) return 0;
  const std::uint64_t padded_bytes = round_up(size_bytes, kAllocationAlignment);
  if (padded_bytes > kDeviceMemoryBytes - g_used_bytes) return 0;
  Allocation allocation;
  allocation.size_bytes = size_bytes;
  allocation.kind = kind;
  allocation.made_at = at;
  Heap& heap = heaps()[allocation.is_hosts_too() ? 1 : 0];
  allocation.base = heap.take(padded_bytes + kRedZoneBytes);
  if (allocation.base == 0) return 0;
  const std::uint64_t base = allocation.base;
  g_used_bytes += padded_bytes;
  heap.note_live(1);
  poison_ends(base, size_bytes);
  // The host may write what it has, too, unseen.
  const bool is_fresh = kind == Allocation::Kind::kDevice || kind == Allocation::Kind::kDeviceHeap;
  enter(std::move(allocation), !is_fresh);
  if (is_fresh) poison_middle_on_use(base, size_bytes);
  return base;
}

bool release(std::uint64_t address, Allocation::Kind kind, const HostPlace& at) {
  const auto found = entries().find(address);
  if (found == entries().end()) return false;
  Allocation& allocation = found->second;
  Heap* const heap = heap_of(address);
  if (!allocation.live || allocation.kind != kind || heap == nullptr) return false;
  allocation.freed_at = at;
  end_on_heap(*heap, allocation);
  return true;
}

void release_all() {
  for (auto& [base, allocation] : entries()) {
    if (!allocation.live || allocation.kind == Allocation::Kind::kPinnedHost) continue;
    if (Heap* const heap = heap_of(base)) {
      end_on_heap(*heap, allocation);
    } else {
      end(allocation);
    }
  }
}

std::uint64_t used_bytes() { return g_used_bytes; }

}  // namespace memory
