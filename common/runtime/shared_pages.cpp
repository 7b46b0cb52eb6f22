// SPDX-License-Identifier: MIT
#include "shared_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "memory/address_map.h"
#include "serve/ring.h"

namespace runtime {
namespace {

std::map<std::uint64_t, std::uint64_t>& shared() {  // where live allocations begin and end
  static auto* const all = new std::map<std::uint64_t, std::uint64_t>;  // outlives all users
  return *all;
}

int g_file = serve::kSharedWithHostFd;
bool g_is_mapped = false;
bool g_is_closed = false;        // except for pages that the host has touched since
std::uint32_t g_num_racing = 0;  // when the pages were closed last

std::uint64_t page_bytes() {
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}
std::uint64_t page_of(std::uint64_t address) { return address / page_bytes() * page_bytes(); }
std::uint64_t page_behind(std::uint64_t address) { return page_of(address + page_bytes() - 1); }

void protect(std::uint64_t begin, std::uint64_t end, int protection) {
  if (begin < end) mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

bool map_shared_part() {
  if (g_is_mapped) return true;
  void* const base = reinterpret_cast<void*>(memory::kSharedWithHostBase);
  g_is_mapped = mmap(base, memory::kSharedWithHostBytes, PROT_NONE,
                     MAP_SHARED | MAP_FIXED | MAP_NORESERVE, g_file, 0) == base;
  return g_is_mapped;
}

bool is_used(std::uint64_t page) {
  const auto behind = shared().lower_bound(page + page_bytes());
  return behind != shared().begin() && std::prev(behind)->second > page;
}

void close_all_pages() {
  if (shared().empty()) return;
  protect(page_of(shared().begin()->first), page_behind(shared().rbegin()->second), PROT_NONE);
  g_is_closed = true;
}

}  // namespace

void reserve_device_range() {
  void* const wanted = reinterpret_cast<void*>(memory::kDeviceBase);
  void* const got = mmap(wanted, memory::kDeviceRangeBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) return;
  std::perror("lockstep: cannot reserve the address range of the device's memory");
  std::_Exit(3);
}

void use_shared_file(int fd) { g_file = fd; }

bool open_shared(std::uint64_t address, std::uint64_t size_bytes) {
  if (!map_shared_part()) return false;
  shared()[address] = address + size_bytes;
  if (!g_is_closed) {
    protect(page_of(address), page_behind(address + size_bytes), PROT_READ | PROT_WRITE);
  }
  return true;
}

void close_shared(std::uint64_t address) {
  const auto found = shared().find(address);
  if (found == shared().end()) return;
  std::uint64_t begin = page_of(found->first);
  std::uint64_t end = page_behind(found->second);
  shared().erase(found);
  // Its first and last pages may be others', too.
  if (begin < end && is_used(begin)) begin += page_bytes();
  if (begin < end && is_used(end - page_bytes())) end -= page_bytes();
  protect(begin, end, PROT_NONE);
}

void note_racing_work(std::uint32_t number) {
  if (number == g_num_racing) return;
  g_num_racing = number;
  if (number != 0) {
    close_all_pages();
  } else {
    open_all_pages();
  }
}

bool is_closed_page(std::uint64_t address) { return g_is_closed && is_used(page_of(address)); }

void open_page(std::uint64_t address) {
  protect(page_of(address), page_of(address) + page_bytes(), PROT_READ | PROT_WRITE);
}

void open_all_pages() {
  if (!g_is_closed) return;
  for (const auto& [begin, end] : shared()) {
    protect(page_of(begin), page_behind(end), PROT_READ | PROT_WRITE);
  }
  g_is_closed = false;
}

}  // namespace runtime
