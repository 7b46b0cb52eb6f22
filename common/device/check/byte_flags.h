// SPDX-License-Identifier: MIT
// One flag for each byte of a range of addresses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace check {

class ByteFlags {
 public:
  // Bytes of storage for this many flags, and a few more, because flags are read eight bytes at a
  // time.
  static constexpr std::size_t storage_bytes(std::size_t num_flags) {
    return num_flags / 8 + 2 * sizeof(std::uint64_t);
  }

  ByteFlags() = default;
  // For addresses from `base` on, which is a multiple of 8; `storage` holds the flags.
  ByteFlags(std::uint64_t base, std::uint8_t* storage) : base_(base), storage_(storage) {}

  [[gnu::always_inline]] bool all(std::uint64_t address, std::size_t size_bytes) const {
    while (size_bytes > kChunk) {
      if (missing(address, kChunk) != 0) return false;
      address += kChunk, size_bytes -= kChunk;
    }
    return missing(address, size_bytes) == 0;
  }

  bool none(std::uint64_t address, std::size_t size_bytes) const {
    while (size_bytes > kChunk) {
      if (missing(address, kChunk) != mask(kChunk)) return false;
      address += kChunk, size_bytes -= kChunk;
    }
    return missing(address, size_bytes) == mask(size_bytes);
  }

  void set(std::uint64_t address, std::size_t size_bytes) const { fill(address, size_bytes, true); }
  void clear(std::uint64_t address, std::size_t size_bytes) const {
    fill(address, size_bytes, false);
  }

  // Flags of [to, to + size_bytes) become those of [from, ...).
  void copy(std::uint64_t to, std::uint64_t from, std::size_t size_bytes) const {
    const auto copy_bytes = [&](std::size_t count) {
      for (; count > 0; --count, ++to, ++from, --size_bytes) fill(to, 1, all(from, 1));
    };
    copy_bytes(std::min(size_bytes, (8 - (to - base_) % 8) % 8));
    const std::size_t num_whole = size_bytes / 8;
    std::uint8_t* const whole = storage_ + (to - base_) / 8;
    if ((from - base_) % 8 == 0) {
      std::memmove(whole, storage_ + (from - base_) / 8, num_whole);
    } else {
      for (std::size_t i = 0; i < num_whole; ++i) {
        whole[i] = static_cast<std::uint8_t>(~missing(from + 8 * i, 8));
      }
    }
    to += 8 * num_whole, from += 8 * num_whole, size_bytes -= 8 * num_whole;
    copy_bytes(size_bytes);
  }

  // Where the flags of these addresses are, and perhaps a few others.
  std::span<std::uint8_t> storage_of(std::uint64_t address, std::size_t size_bytes) const {
    const std::size_t first = (address - base_) / 8;
    return {storage_ + first, (address + size_bytes - base_ + 7) / 8 - first};
  }

 private:
  static constexpr std::size_t kChunk = 32;

  static std::uint64_t mask(std::size_t size_bytes) { return (std::uint64_t{1} << size_bytes) - 1; }

  // One bit for each of up to kChunk bytes whose flag is not set.
  [[gnu::always_inline]] std::uint64_t missing(std::uint64_t address,
                                               std::size_t size_bytes) const {
    const std::size_t offset = address - base_;
    std::uint64_t flags;
    std::memcpy(&flags, storage_ + offset / 8, sizeof flags);
    return ~(flags >> offset % 8) & mask(size_bytes);
  }

  void fill(std::uint64_t address, std::size_t size_bytes, bool value) const {
    std::size_t offset = address - base_;
    const auto fill_bits = [&](std::size_t count) {
      const auto bits = static_cast<std::uint8_t>(mask(count) << offset % 8);
      std::uint8_t& flags = storage_[offset / 8];
      flags = static_cast<std::uint8_t>(value ? flags | bits : flags & ~bits);
      offset += count, size_bytes -= count;
    };
    if (offset % 8 != 0 || size_bytes < 8) {
      const std::size_t to_boundary = 8 - offset % 8;
      fill_bits(size_bytes < to_boundary ? size_bytes : to_boundary);
    }
    if (size_bytes >= 8) {
      std::memset(storage_ + offset / 8, value ? 0xff : 0, size_bytes / 8);
      offset += size_bytes / 8 * 8, size_bytes %= 8;
    }
    if (size_bytes > 0) fill_bits(size_bytes);
  }

  std::uint64_t base_ = 0;
  std::uint8_t* storage_ = nullptr;
};

}  // namespace check
