// SPDX-License-Identifier: MIT
#include "check/device_shadow.h"

#include <bitset>

#include "check/address_space.h"
#include "check/copy_race.h"
#include "check/copy_unwritten.h"
#include "check/race_shadow.h"
#include "check/virtual_tables.h"
#include "program/address.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{2} << 20;  // of device memory, recorded or not

// From this size on an allocation and its records get large pages.
constexpr std::size_t kLargeBytes = std::size_t{1} << 20;

std::uint8_t* flag_room() {
  static auto* const room = static_cast<std::uint8_t*>(
      reserve_address_space(ByteFlags::storage_bytes(kDeviceRangeBytes)));
  return room;
}

// Of device memory or a variable of the program, and not of registered memory of the host.
void note_copied_at(const void* p, std::size_t size_bytes, bool is_written) {
  const std::uintptr_t program = number(&__executable_start);
  const bool is_variable = number(p) - program < number(&_end) - program;
  if (is_variable || is_device_address(p)) note_copied(number(p), size_bytes, is_written);
}

class ShadowKeeper : public MemoryObserver {
 public:
  ShadowKeeper() : flags_(flag_room()) {
    device_flags = {kDeviceBase, flags_};
    set_memory_observer(this);
  }

  void on_allocate(const Allocation& allocation, bool initialised) override {
    if (!is_device_address(allocation.base)) return;
    make_room(number(allocation.base), allocation.size_bytes);
    if (allocation.size_bytes >= kLargeBytes) {
      expect_use(allocation.base, allocation.size_bytes);
      expect_accesses(number(allocation.base), allocation.size_bytes);
    }
    if (initialised) {
      device_flags.set(number(allocation.base), allocation.size_bytes);
    } else {
      clear(number(allocation.base), allocation.size_bytes);
    }
    note_allocated(number(allocation.base), allocation.size_bytes);
  }
  void on_release(const Allocation& allocation) override {
    if (!is_device_address(allocation.base)) return;
    note_freed(number(allocation.base), allocation.size_bytes);
    clear(number(allocation.base), allocation.size_bytes);
    forget_accesses(number(allocation.base), allocation.size_bytes);
  }
  void on_write(const void* p, std::size_t size_bytes) override {
    note_copied_at(p, size_bytes, true);
    if (!is_device_address(p)) return;
    device_flags.set(number(p), size_bytes);
    forget_device_objects(number(p), size_bytes);
  }
  void on_read(const void* p, std::size_t size_bytes) override {
    note_copied_at(p, size_bytes, false);
    if (is_device_address(p)) check_copy_to_host(device_flags, p, size_bytes);
  }
  void on_copy(const void* destination, const void* source, std::size_t size_bytes) override {
    note_copied_at(source, size_bytes, false);
    note_copied_at(destination, size_bytes, true);
    if (!is_device_address(destination)) return;
    if (is_device_address(source)) {
      const bool was_written = device_flags.all(number(source), size_bytes);
      device_flags.copy(number(destination), number(source), size_bytes);
      if (!was_written) forget_written(number(destination), size_bytes);
      copy_device_objects(number(destination), number(source), size_bytes);
    } else {
      device_flags.set(number(destination), size_bytes);
      forget_device_objects(number(destination), size_bytes);
    }
  }

 private:
  // Memory behind the records about [address, address + size_bytes), and a little beyond: flags are
  // read four bytes at a time.
  void make_room(std::uintptr_t address, std::size_t size_bytes) {
    const std::size_t first = (address - kDeviceBase) / kChunkBytes;
    const std::size_t last = (address - kDeviceBase + size_bytes) / kChunkBytes;
    for (std::size_t chunk = first; chunk <= last && chunk < has_room_.size(); ++chunk) {
      if (has_room_[chunk]) continue;
      has_room_[chunk] = true;
      commit(flags_ + chunk * kChunkBytes / 8, ByteFlags::storage_bytes(kChunkBytes));
      make_history(kDeviceBase + chunk * kChunkBytes, kChunkBytes);
    }
  }

  void clear(std::uintptr_t address, std::size_t size_bytes) {
    constexpr std::size_t kWorthPages = std::size_t{1} << 20;
    if (size_bytes < kWorthPages) return device_flags.clear(address, size_bytes);
    const std::size_t whole = size_bytes / 8 * 8;  // allocations begin at a multiple of 8
    clear_pages(flags_ + (address - kDeviceBase) / 8, whole / 8);
    device_flags.clear(address + whole, size_bytes - whole);
  }

  std::uint8_t* flags_;
  std::bitset<kDeviceRangeBytes / kChunkBytes> has_room_;
};

}  // namespace

ByteFlags device_flags;

namespace {
ShadowKeeper keeper;  // after device_flags, which it fills in
}  // namespace

}  // namespace simt::device

namespace simt {

void reserve_device_records() {
  device::flag_room();
  device::reserve_history();
}

}  // namespace simt
