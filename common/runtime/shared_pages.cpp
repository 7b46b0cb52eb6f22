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
  std::uint64_t host, device, size_bytes;

  std::uint64_t end() const { return host + size_bytes; }
};
std::vector<SharedVariable>& variables() {                   // whole pages
  static auto* const all = new std::vector<SharedVariable>;  // outlives all users
  return *all;
}
std::map<std::uint64_t, SharedVariable>& registered() {  // by where it begins, to the byte
  static auto* const all = new std::map<std::uint64_t, SharedVariable>;  // outlives all users
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

// Both sides have the pages of [begin, end) from now on. What is behind the first `kept_bytes` is
// the host's.
bool share_pages(std::uint64_t begin, std::uint64_t end, std::uint64_t device,
                 std::uint64_t kept_bytes) {
  const auto offset = static_cast<off_t>(device - memory::kSharedWithHostBase);
  void* const pages =
      mmap(nullptr, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED, g_file, offset);
  if (pages == MAP_FAILED) return false;
  std::memcpy(static_cast<std::byte*>(pages) + kept_bytes,
              reinterpret_cast<const void*>(begin + kept_bytes), end - begin - kept_bytes);
  void* const place = reinterpret_cast<void*>(begin);
  return mremap(pages, end - begin, end - begin, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place;
}

// They are the host's alone again.
void take_back(std::uint64_t begin, std::uint64_t end) {
  void* const pages =
      mmap(nullptr, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* const place = reinterpret_cast<void*>(begin);
  if (pages == MAP_FAILED) return;
  std::memcpy(pages, place, end - begin);
  mremap(pages, end - begin, end - begin, MREMAP_MAYMOVE | MREMAP_FIXED, place);
}

bool is_registered_page(std::uint64_t page) { return is_registered(page, page + page_bytes()); }

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
  // Behind it on its last page are other variables of the program.
  if (!share_pages(host, end, device, size_bytes)) return false;
  variables().push_back({host, device, end - host});
  return true;
}

bool share_registered(std::uint64_t host, std::uint64_t size_bytes, std::uint64_t device) {
  const std::uint64_t end = page_behind(host + size_bytes);
  bool is_fine = true;
  for (std::uint64_t begin = page_of(host); begin < end;) {
    std::uint64_t behind = begin + page_bytes();
    if (!is_registered_page(begin)) {
      while (behind < end && !is_registered_page(behind)) behind += page_bytes();
      is_fine = is_fine && share_pages(begin, behind, device + (begin - host), 0);
    }
    begin = behind;
  }
  registered()[host] = {host, device, size_bytes};
  if (!is_fine) take_registered_back(host);
  return is_fine;
}

void take_registered_back(std::uint64_t host) {
  const auto found = registered().find(host);
  if (found == registered().end()) return;
  const std::uint64_t end = page_behind(host + found->second.size_bytes);
  registered().erase(found);
  for (std::uint64_t page = page_of(host); page < end; page += page_bytes()) {
    if (!is_registered_page(page)) take_back(page, page + page_bytes());
  }
}

bool is_registered(std::uint64_t begin, std::uint64_t end) {
  const auto behind = registered().lower_bound(end);
  return behind != registered().begin() && std::prev(behind)->second.end() > begin;
}

std::uint64_t device_address(std::uint64_t address) {
  for (const SharedVariable& one : variables()) {
    if (address - one.host < one.size_bytes) return one.device + (address - one.host);
  }
  const auto behind = registered().upper_bound(address);
  if (behind == registered().begin()) return address;
  const SharedVariable& one = std::prev(behind)->second;
  return address < one.end() ? one.device + (address - one.host) : address;
}

void take_variables_back() {
  for (const SharedVariable& one : variables()) take_back(one.host, one.end());
  variables().clear();
  while (!registered().empty()) take_registered_back(registered().begin()->first);
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
