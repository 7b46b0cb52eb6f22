// SPDX-License-Identifier: MIT
// What cuTensorMapEncodeTiled writes into a CUtensorMap, whose contents CUDA leaves to the
// implementation: the runtime makes it, kernels hand it to bulk copies.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace run {

inline constexpr std::uint32_t kMaxTensorRank = 5;
inline constexpr std::uint32_t kMaxBoxElements = 256;  // in each dimension
inline constexpr std::uint32_t kSwizzledChunkBytes = 16;

struct TensorMap {
  static constexpr std::uint64_t kMark = 0x7065'7473'6b63'6f6c;
  std::uint64_t mark = kMark;
  std::uint64_t base = 0;                            // address of element 0
  std::array<std::uint64_t, kMaxTensorRank> size;    // in elements, the innermost dimension first
  std::array<std::uint64_t, kMaxTensorRank> stride;  // in bytes; of the innermost: element_bytes
  std::array<std::uint16_t, kMaxTensorRank> box;     // in elements
  std::uint8_t rank = 0;
  std::uint8_t element_bytes = 0;
  std::uint8_t swizzle_bytes = 0;  // 0, 32, 64 or 128

  // Whether a copy can rely on it: a kernel may have written these bytes itself.
  bool is_whole() const {
    if (mark != kMark || rank < 1 || rank > kMaxTensorRank) return false;
    if (element_bytes > 8 || !std::has_single_bit(element_bytes)) return false;
    for (std::uint32_t i = 0; i < rank; ++i) {
      if (box[i] < 1 || box[i] > kMaxBoxElements) return false;
    }
    const std::uint32_t row_bytes = std::uint32_t{box[0]} * element_bytes;
    if (swizzle_bytes == 0) return row_bytes % kSwizzledChunkBytes == 0;
    return row_bytes == swizzle_bytes && std::has_single_bit(row_bytes) && row_bytes >= 32 &&
           row_bytes <= 128;
  }
};
static_assert(sizeof(TensorMap) <= 128);

// Within each 128 bytes of shared memory, the swizzle of 128 bytes exchanges the chunks of 16 bytes
// by the number of these 128 bytes among eight; 64 and 32 do so within halves and quarters.
inline constexpr std::uint64_t swizzled(std::uint64_t address, std::uint64_t swizzle_bytes) {
  const std::uint64_t mask = swizzle_bytes == 0 ? 0 : swizzle_bytes / kSwizzledChunkBytes - 1;
  return address ^ (address / 128 & mask) * kSwizzledChunkBytes;
}

}  // namespace run
