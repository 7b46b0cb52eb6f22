// SPDX-License-Identifier: MIT
#include "memory/poison.h"

#include <sys/mman.h>

#include <algorithm>
#include <bitset>
#include <memory>

#include "memory/book.h"
#include "memory/page.h"

namespace memory {
namespace {

constexpr std::uint64_t kPoisonedBytes = std::uint64_t{32} << 20;  // at either end of a huge one

// The pages of the device's range that are to hold poison from their first use on.
using Pages = std::bitset<kDeviceRangeBytes / kMinPageBytes>;
Pages& unpoisoned() {
  static auto* const pages = std::make_unique<Pages>().release();  // outlives all users
  return *pages;
}
std::size_t g_num_unpoisoned = 0;

std::size_t page_number(std::uint64_t address) { return (address - kDeviceBase) / page_bytes(); }

}  // namespace

void fill_with_poison(std::uint64_t begin, std::uint64_t end) {
  std::fill(reinterpret_cast<std::uint32_t*>(begin), reinterpret_cast<std::uint32_t*>(end),
            kPoisonWord);
}

Range middle_of(std::uint64_t base, std::uint64_t size_bytes) {
  const std::uint64_t end = base + round_up(size_bytes, kAllocationAlignment);
  if (end - base <= 2 * kPoisonedBytes) return {end, end};
  return {page_above(base + kPoisonedBytes), page_below(end - kPoisonedBytes)};
}

void poison_ends(std::uint64_t base, std::uint64_t size_bytes) {
  const Range middle = middle_of(base, size_bytes);
  fill_with_poison(base, middle.begin);
  fill_with_poison(middle.end, base + round_up(size_bytes, kAllocationAlignment));
}

void poison_middle_on_use(std::uint64_t base, std::uint64_t size_bytes) {
  const auto [begin, end] = middle_of(base, size_bytes);
  if (begin == end) return;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_NOHUGEPAGE);  // each page by itself
  for (std::size_t page = page_number(begin); page < page_number(end); ++page) {
    g_num_unpoisoned += !unpoisoned()[page];
    unpoisoned().set(page);
  }
}

void forget_middle(std::uint64_t base, std::uint64_t size_bytes) {
  const auto [begin, end] = middle_of(base, size_bytes);
  if (begin == end) return;
  for (std::size_t page = page_number(begin); page < page_number(end); ++page) {
    g_num_unpoisoned -= unpoisoned()[page];
    unpoisoned().reset(page);
  }
}

void poison_on_first_use(std::uint64_t address, std::uint64_t size_bytes) {
  if (g_num_unpoisoned == 0 || size_bytes == 0) return;
  for (std::size_t page = page_number(address); page <= page_number(address + size_bytes - 1);
       ++page) {
    if (!unpoisoned()[page]) continue;
    unpoisoned().reset(page);
    --g_num_unpoisoned;
    const std::uint64_t begin = kDeviceBase + page * page_bytes();
    // A page with memory behind it was filled by a copy, and keeps its contents.
    unsigned char resident = 1;
    mincore(reinterpret_cast<void*>(begin), page_bytes(), &resident);
    if ((resident & 1) == 0) fill_with_poison(begin, begin + page_bytes());
  }
}

}  // namespace memory
