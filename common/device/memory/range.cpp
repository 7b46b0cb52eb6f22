// SPDX-License-Identifier: MIT
// The device's range of addresses: reserving it, and mapping what lies in its middle.
#include "memory/range.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "memory/book.h"
#include "memory/entries.h"
#include "memory/page.h"
#include "memory/poison.h"

namespace memory {
namespace {

bool g_is_reserved = false;
int g_shared_fd = -1;
std::uint64_t g_arena_end = kArenaBase;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(EXIT_FAILURE);
}

int make_shared_part() {
  const int fd = memfd_create("lockstep-shared", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(kSharedWithHostBytes)) == 0) return fd;
  give_up("device: cannot make the memory that host and device share");
}

void map_shared_part(int fd) {
  g_shared_fd = fd < 0 ? make_shared_part() : fd;
  if (mmap(reinterpret_cast<void*>(kSharedWithHostBase), kSharedWithHostBytes,
           PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, g_shared_fd,
           0) == MAP_FAILED) {
    give_up("device: cannot map the memory that host and device share");
  }
}

// fd -1: memory of our own, not shared.
std::uint64_t map_behind_arenas(int fd, std::uint64_t size_bytes) {
  reserve();
  if (size_bytes == 0 || size_bytes > kArenaEnd - g_arena_end) {
    throw std::system_error(size_bytes == 0 ? EINVAL : ENOMEM, std::generic_category(), "arena");
  }
  const std::uint64_t base = g_arena_end;
  const int flags = MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
  if (mmap(reinterpret_cast<void*>(base), size_bytes, PROT_READ | PROT_WRITE, flags, fd, 0) ==
      MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "arena");
  }
  // Behind it is a gap that no program may touch.
  g_arena_end += round_up(size_bytes, kCommitBytes) + kCommitBytes;
  return base;
}

}  // namespace

void reserve(int shared_fd) {
  if (g_is_reserved) return;
  void* const wanted = reinterpret_cast<void*>(kDeviceBase);
  void* const got = mmap(wanted, kDeviceRangeBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) give_up("device: cannot reserve the address range of the device's memory");
  g_is_reserved = true;
  map_shared_part(shared_fd);
}

bool commit(std::uint64_t begin, std::uint64_t size_bytes) {
  return mprotect(reinterpret_cast<void*>(begin), size_bytes, PROT_READ | PROT_WRITE) == 0;
}

void give_pages_back(std::uint64_t begin, std::uint64_t end) {
  begin = page_above(begin);
  end = page_below(end);
  if (begin >= end) return;
  const int advice = begin >= kSharedWithHostBase ? MADV_REMOVE : MADV_DONTNEED;
  madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

int shared_with_host_fd() {
  reserve();
  return g_shared_fd;
}

std::uint64_t map_arena(int fd, std::uint64_t size_bytes) {
  if (fd < 0) throw std::system_error(EBADF, std::generic_category(), "arena");
  return map_behind_arenas(fd, size_bytes);
}

std::uint64_t variable_room(std::uint64_t size_bytes) { return map_behind_arenas(-1, size_bytes); }

std::uint64_t managed_room(std::uint64_t size_bytes) {
  static std::uint64_t next = kManagedVariablesBase;
  reserve();
  if (size_bytes == 0 || size_bytes > kRangeEnd - next) {
    throw std::system_error(ENOMEM, std::generic_category(), "__managed__ variables");
  }
  const std::uint64_t base = next;
  // Behind it is a gap that no program may touch.
  next = std::min(kRangeEnd, round_up(base + size_bytes + kRedZoneBytes, kManagedAlignment));
  return base;
}

std::uint64_t scratch_room(std::uint64_t size_bytes) {
  static std::uint64_t room = 0;
  static std::uint64_t room_bytes = 0;
  if (size_bytes > room_bytes) {
    // Twice what there was: its old addresses are not used again.
    const std::uint64_t padded = round_up(std::max(size_bytes, 2 * room_bytes), kCommitBytes);
    room = map_behind_arenas(-1, padded);
    room_bytes = padded;
    poison_ends(room, room_bytes);
  }
  return room;
}

// The next call gets the room with poison in it. To poison all of it for each call would take most
// of a short call's time.
void retire_scratch(std::uint64_t base) {
  const auto found = entries().find(base);
  if (found == entries().end() || !found->second.live) return;
  poison_ends(base, found->second.size_bytes);
  end(found->second);
}

}  // namespace memory
