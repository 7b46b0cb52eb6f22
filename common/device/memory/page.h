// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace memory {

// The system's page: 4 KiB on x86-64; 4, 16 or 64 KiB on aarch64.
inline std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
inline constexpr std::size_t kMinPageBytes = 4096;  // of any system

inline constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
inline std::uint64_t page_above(std::uint64_t address) { return round_up(address, page_bytes()); }
inline std::uint64_t page_below(std::uint64_t address) {
  return address / page_bytes() * page_bytes();
}

}  // namespace memory
