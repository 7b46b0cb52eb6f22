// SPDX-License-Identifier: MIT
#include "check/reserved.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "memory/page.h"

namespace check {
namespace {

using memory::page_above;
using memory::page_below;

// To get a page again takes longer than to clear it, but a range may hold pages without memory.
constexpr std::size_t kWorthDiscarding = std::size_t{8} << 20;

std::uint64_t number(const void* p) { return reinterpret_cast<std::uint64_t>(p); }
void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

[[noreturn]] void give_up(const char* what, std::size_t size_bytes, const char* remedy) {
  std::fprintf(stderr, "device: the system refuses %zu MiB of %s for the checks (%s): %s\n",
               size_bytes >> 20, what, std::strerror(errno), remedy);
  std::exit(EXIT_FAILURE);
}

}  // namespace

Reserved::Reserved(std::size_t size_bytes, Use use)
    : begin_(mmap(nullptr, size_bytes, use == Use::kWritable ? PROT_READ | PROT_WRITE : PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
      size_bytes_(size_bytes) {
  if (begin_ == MAP_FAILED) give_up("address space", size_bytes, "raise `ulimit -v`");
}

Reserved::~Reserved() { munmap(begin_, size_bytes_); }

void Reserved::commit(void* begin, std::size_t size_bytes) {
  const std::uint64_t first = page_below(number(begin));
  const std::size_t room = page_above(number(begin) + size_bytes) - first;
  if (mprotect(pointer(first), room, PROT_READ | PROT_WRITE) != 0) {
    give_up("memory", room,
            "raise `ulimit -d`, or set vm.overcommit_memory to 0 or vm.overcommit_ratio higher");
  }
}

void Reserved::discard() { madvise(begin_, size_bytes_, MADV_DONTNEED); }

void expect_use(void* begin, std::size_t size_bytes) {
  const std::uint64_t first = page_above(number(begin));
  const std::uint64_t last = page_below(number(begin) + size_bytes);
  if (first < last) madvise(pointer(first), last - first, MADV_HUGEPAGE);
}

void clear_pages(void* begin, std::size_t size_bytes) {
  const std::uint64_t end = number(begin) + size_bytes;
  const std::uint64_t first = page_above(number(begin));
  const std::uint64_t last = page_below(end);
  if (first >= last || size_bytes < kWorthDiscarding) {
    std::memset(begin, 0, size_bytes);
    return;
  }
  std::memset(begin, 0, first - number(begin));
  std::memset(pointer(last), 0, end - last);
  madvise(pointer(first), last - first, MADV_DONTNEED);
}

}  // namespace check
