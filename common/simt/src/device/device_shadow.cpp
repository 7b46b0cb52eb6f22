// SPDX-License-Identifier: MIT
#include "device_shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "race_shadow.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

class ShadowKeeper : public MemoryObserver {
 public:
  ShadowKeeper() {
    constexpr std::size_t size_bytes = ByteFlags::storage_bytes(kDeviceRangeBytes);
    device_flags = {kDeviceBase, static_cast<std::uint8_t*>(reserve_zeros(size_bytes))};
    set_memory_observer(this);
  }

  void on_allocate(const Allocation& allocation, bool initialised) override {
    if (!is_device_address(allocation.base)) return;
    if (initialised) {
      device_flags.set(number(allocation.base), allocation.size_bytes);
    } else {
      device_flags.clear(number(allocation.base), allocation.size_bytes);
    }
  }
  void on_release(const Allocation& allocation) override {
    if (!is_device_address(allocation.base)) return;
    device_flags.clear(number(allocation.base), allocation.size_bytes);
    forget_accesses(number(allocation.base), allocation.size_bytes);
  }
  void on_write(const void* p, std::size_t size_bytes) override {
    if (is_device_address(p)) device_flags.set(number(p), size_bytes);
  }
  void on_read(const void*, std::size_t) override {}
  void on_copy(const void* destination, const void* source, std::size_t size_bytes) override {
    if (!is_device_address(destination)) return;
    if (is_device_address(source)) {
      device_flags.copy(number(destination), number(source), size_bytes);
    } else {
      device_flags.set(number(destination), size_bytes);
    }
  }
};

}  // namespace

ByteFlags device_flags;

void* reserve_zeros(std::size_t size_bytes) {
  void* const room = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    std::perror("simt: cannot reserve address space for the checkers");
    std::exit(EXIT_FAILURE);
  }
  return room;
}

namespace {
ShadowKeeper keeper;  // after device_flags, which it fills in
}

}  // namespace simt::device
