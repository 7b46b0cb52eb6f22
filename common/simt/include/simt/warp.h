// SPDX-License-Identifier: MIT
// Warp operations. Each waits until all lanes of `mask` that have not exited are in the same kind
// of operation with the same mask; the results of such a group are then formed together. A lane
// outside its own mask is reported (barrier_divergence).
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/copy_registers.h"
#include "simt/keywords.h"
#include "simt/limits.h"

namespace simt {

enum class WarpOperation : std::uint8_t {
  kSync,
  kShuffle,
  kBallot,
  kMatchAny,
  kMatchAll,
  kAdd,
  kMin,
  kMax,
  kMinSigned,
  kMaxSigned,
  kAnd,
  kOr,
  kXor,
  kTogether,
};

// The value of kTogether points to one. When the last lane has come, one call of the function gets
// the arguments of all 32 lanes; null for those that take no part.
struct WarpCall {
  void (*function)(void* const* arguments);
  void* argument;
};

// Takes part in `operation` with `value`; kShuffle returns the value of lane `source_lane`, or the
// poison pattern if that lane takes no part. kMatchAll returns the mask or 0.
std::uint64_t warp_operation(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                             int source_lane = 0);

// The running thread's lane in its warp.
int lane_id();

// Types that shuffles carry: numbers of up to 8 bytes, and half-precision classes.
template <class T>
concept WarpValue = (std::is_arithmetic_v<T> && sizeof(T) <= 8) ||
                    (std::is_class_v<T> && std::is_trivially_copyable_v<T> && sizeof(T) <= 4);

template <WarpValue T>
SIMT_INLINE std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  copy_registers(&bits, &value, sizeof(T));
  return bits;
}

template <WarpValue T>
SIMT_INLINE T from_bits(std::uint64_t bits) {
  T value;
  copy_registers(&value, &bits, sizeof(T));
  return value;
}

template <WarpValue T>
SIMT_INLINE T shuffle(unsigned mask, T value, int source_lane) {
  return from_bits<T>(warp_operation(WarpOperation::kShuffle, mask, to_bits(value), source_lane));
}

}  // namespace simt

// The lanes of the warp that run together with this one: all that reach this same call before the
// others have to wait or exit.
unsigned __activemask();

SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  simt::warp_operation(simt::WarpOperation::kSync, mask, 0);
}

// Shuffles: a warp is cut into segments of `width` lanes, a power of two. A lane whose source would
// lie outside its segment gets its own value.

template <simt::WarpValue T>
SIMT_INLINE T __shfl_sync(unsigned mask, T value, int source_lane, int width = simt::kWarpSize) {
  const int segment = simt::lane_id() & ~(width - 1);
  return simt::shuffle(mask, value, segment | (source_lane & (width - 1)));
}

template <simt::WarpValue T>
SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = simt::kWarpSize) {
  const int lane = simt::lane_id();
  const int rank = lane & (width - 1);
  return simt::shuffle(
      mask, value, delta <= static_cast<unsigned>(rank) ? lane - static_cast<int>(delta) : lane);
}

template <simt::WarpValue T>
SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta,
                               int width = simt::kWarpSize) {
  const int lane = simt::lane_id();
  const int rank = lane & (width - 1);
  return simt::shuffle(
      mask, value,
      delta < static_cast<unsigned>(width - rank) ? lane + static_cast<int>(delta) : lane);
}

// Unlike the others, may read from an earlier segment.
template <simt::WarpValue T>
SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = simt::kWarpSize) {
  const int lane = simt::lane_id();
  const int source = lane ^ lane_mask;
  const int segment_end = (lane & ~(width - 1)) + width;
  return simt::shuffle(mask, value, source < segment_end ? source : lane);
}

// Votes.

SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(
      simt::warp_operation(simt::WarpOperation::kBallot, mask, predicate != 0));
}

SIMT_INLINE int __any_sync(unsigned mask, int predicate) {
  return simt::warp_operation(simt::WarpOperation::kOr, mask, predicate != 0) != 0;
}

SIMT_INLINE int __all_sync(unsigned mask, int predicate) {
  return simt::warp_operation(simt::WarpOperation::kAnd, mask, predicate != 0) != 0;
}

// The lanes of the mask whose value has the same bits as this lane's.
template <simt::WarpValue T>
SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  return static_cast<unsigned>(
      simt::warp_operation(simt::WarpOperation::kMatchAny, mask, simt::to_bits(value)));
}

// The lanes of the mask if all their values have the same bits, else 0; *predicate says which.
template <simt::WarpValue T>
SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  const auto lanes = static_cast<unsigned>(
      simt::warp_operation(simt::WarpOperation::kMatchAll, mask, simt::to_bits(value)));
  *predicate = lanes != 0;
  return lanes;
}

// Reductions, of 32-bit integers as on a device.

#define SIMT_WARP_REDUCE(name, type, operation)                                                    \
  SIMT_INLINE type name(unsigned mask, type value) {                                               \
    return static_cast<type>(                                                                      \
        simt::warp_operation(simt::WarpOperation::operation, mask, static_cast<unsigned>(value))); \
  }
SIMT_WARP_REDUCE(__reduce_add_sync, unsigned, kAdd)
SIMT_WARP_REDUCE(__reduce_add_sync, int, kAdd)
SIMT_WARP_REDUCE(__reduce_min_sync, unsigned, kMin)
SIMT_WARP_REDUCE(__reduce_min_sync, int, kMinSigned)
SIMT_WARP_REDUCE(__reduce_max_sync, unsigned, kMax)
SIMT_WARP_REDUCE(__reduce_max_sync, int, kMaxSigned)
SIMT_WARP_REDUCE(__reduce_and_sync, unsigned, kAnd)
SIMT_WARP_REDUCE(__reduce_or_sync, unsigned, kOr)
SIMT_WARP_REDUCE(__reduce_xor_sync, unsigned, kXor)
#undef SIMT_WARP_REDUCE
