// SPDX-License-Identifier: MIT
// Which thread made an access and when, in 64 bits.
#pragma once

#include <cstdint>

namespace check {

// From the top: 28 bits for the block's number among all that ever started, 10 for the thread in
// the block, 20 for the block's clock, 4 for the bytes of the word, 2 for the kind of access. 0:
// no access.
using Stamp = std::uint64_t;

inline constexpr int kOrdinalShift = 36;
inline constexpr int kWarpShift = 31;
inline constexpr int kThreadShift = 26;
inline constexpr int kTickShift = 6;
inline constexpr int kBytesShift = 2;
inline constexpr Stamp kAllBytes = Stamp{15} << kBytesShift;
inline constexpr Stamp kVolatileBit = 2;
inline constexpr Stamp kAtomicBit = 1;
inline constexpr Stamp kKindBits = kVolatileBit | kAtomicBit;
inline constexpr std::uint32_t kMaxOrdinal = (1u << 28) - 1;
inline constexpr std::uint32_t kMaxTick = (1u << 20) - 1;

inline std::uint32_t ordinal_of(Stamp s) { return static_cast<std::uint32_t>(s >> kOrdinalShift); }
inline std::uint32_t thread_of(Stamp s) {
  return static_cast<std::uint32_t>(s >> kThreadShift & 1023);
}
inline std::uint32_t warp_of(Stamp s) { return static_cast<std::uint32_t>(s >> kWarpShift & 31); }
inline std::uint32_t tick_of(Stamp s) {
  return static_cast<std::uint32_t>(s >> kTickShift) & kMaxTick;
}
inline bool same_thread(Stamp a, Stamp b) { return (a ^ b) >> kThreadShift == 0; }
inline bool same_warp(Stamp a, Stamp b) { return (a ^ b) >> kWarpShift == 0; }
inline bool same_block(Stamp a, Stamp b) { return (a ^ b) >> kOrdinalShift == 0; }
inline bool share_bytes(Stamp a, Stamp b) { return (a & b & kAllBytes) != 0; }

}  // namespace check
