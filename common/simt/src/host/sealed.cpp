// SPDX-License-Identifier: MIT
#include "simt/sealed.h"

#include <sys/mman.h>
#include <sys/random.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "simt/memory.h"
#include "simt/page.h"

namespace simt {
namespace {

constexpr std::size_t kSealedBytes = std::size_t{64} << 20;

// Gives memory back only to its pools: counters come and go with each counted call.
class Sealed {
 public:
  std::pmr::memory_resource* pools() { return &pools_; }

 private:
  static void* map() {
    reserve_device_range();
    std::uint64_t page = 0;
    if (getrandom(&page, sizeof page, 0) != sizeof page) page = 0;
    page %= (kSealedRoomBytes - kSealedBytes) / page_bytes();
    void* const room = reinterpret_cast<void*>(kSealedRoom + page * page_bytes());
    if (mmap(room, kSealedBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != room) {
      std::perror("simt: cannot map memory for counters");
      std::exit(EXIT_FAILURE);
    }
    return room;
  }

  std::pmr::monotonic_buffer_resource room_{map(), kSealedBytes};
  std::pmr::unsynchronized_pool_resource pools_{&room_};
};

}  // namespace

std::pmr::memory_resource* sealed_memory() {
  static auto& sealed = *new Sealed;  // outlives all users
  return sealed.pools();
}

}  // namespace simt
