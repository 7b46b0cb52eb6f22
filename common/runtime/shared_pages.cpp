// SPDX-License-Identifier: MIT
#include "shared_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "memory/address_map.h"
#include "serve/ring.h"

namespace runtime {
namespace {

std::map<std::uint64_t, std::uint64_t>& shared() {  // where live allocations begin and end
  static auto* const all = new std::map<std::uint64_t, std::uint64_t>;  // outlives all users
  return *all;
}

struct SharedVariable {
  std::uint64_t host, device, size_bytes;  // whole pages
};
std::vector<SharedVariable>& variables() {
  static auto* const all = new std::vector<SharedVariable>;  // outlives all users
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

bool share_variable(std::uint64_t host, std::uint64_t size_bytes, std::uint64_t device) {
  const std::uint64_t end = page_behind(host + size_bytes);
  if (host != page_of(host) || device != page_of(device)) return false;
  if (!open_shared(device, size_bytes)) return false;
  const auto offset = static_cast<off_t>(device - memory::kSharedWithHostBase);
  void* const pages = mmap(nullptr, end - host, PROT_READ | PROT_WRITE, MAP_SHARED, g_file, offset);
  if (pages == MAP_FAILED) return false;
  // Behind it on its last page are other variables of the program.
  std::memcpy(static_cast<std::byte*>(pages) + size_bytes,
              reinterpret_cast<const void*>(host + size_bytes), end - host - size_bytes);
  void* const place = reinterpret_cast<void*>(host);
  if (mremap(pages, end - host, end - host, MREMAP_MAYMOVE | MREMAP_FIXED, place) != place) {
    return false;
  }
  variables().push_back({host, device, end - host});
  return true;
}

std::uint64_t device_address(std::uint64_t address) {
  for (const SharedVariable& one : variables()) {
    if (address - one.host < one.size_bytes) return one.device + (address - one.host);
  }
  return address;
}

void take_variables_back() {
  for (const SharedVariable& one : variables()) {
    void* const pages =
        mmap(nullptr, one.size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void* const place = reinterpret_cast<void*>(one.host);
    if (pages == MAP_FAILED) continue;
    std::memcpy(pages, place, one.size_bytes);
    mremap(pages, one.size_bytes, one.size_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  }
  variables().clear();
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
