// SPDX-License-Identifier: MIT
#include "check/address_space.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simt/page.h"

namespace simt::device {
namespace {

// To get a page again takes longer than to clear it, but a range may hold pages without memory.
constexpr std::size_t kWorthDiscarding = std::size_t{8} << 20;

std::uintptr_t page_below(std::uintptr_t address) { return address / page_bytes() * page_bytes(); }
std::uintptr_t page_above(std::uintptr_t address) { return page_below(address + page_bytes() - 1); }

[[noreturn]] void give_up(const char* what, std::size_t size_bytes, const char* remedy) {
  std::fprintf(stderr, "simt: the system refuses %zu MiB of %s for the checkers (%s): %s\n",
               size_bytes >> 20, what, std::strerror(errno), remedy);
  std::exit(EXIT_FAILURE);
}

}  // namespace

void* reserve_address_space(std::size_t size_bytes) {
  void* const room =
      mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) give_up("address space", size_bytes, "raise `ulimit -v`");
  return room;
}

void commit(void* begin, std::size_t size_bytes) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = page_below(address);
  const std::size_t room = page_above(address + size_bytes) - first;
  if (mprotect(reinterpret_cast<void*>(first), room, PROT_READ | PROT_WRITE) != 0) {
    give_up("memory", room,
            "raise `ulimit -d`, or set vm.overcommit_memory to 0 or vm.overcommit_ratio higher");
  }
}

void expect_use(void* begin, std::size_t size_bytes) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = page_above(address);
  const std::uintptr_t last = page_below(address + size_bytes);
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

void clear_pages(void* begin, std::size_t size_bytes) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t end = address + size_bytes;
  const std::uintptr_t first = page_above(address);
  const std::uintptr_t last = page_below(end);
  if (first >= last || size_bytes < kWorthDiscarding) {
    std::memset(begin, 0, size_bytes);
    return;
  }
  std::memset(begin, 0, first - address);
  std::memset(reinterpret_cast<void*>(last), 0, end - last);
  discard_pages(reinterpret_cast<void*>(first), last - first);
}

void discard_pages(void* begin, std::size_t size_bytes) {
  madvise(begin, page_above(size_bytes), MADV_DONTNEED);
}

}  // namespace simt::device
