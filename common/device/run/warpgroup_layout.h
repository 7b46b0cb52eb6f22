// SPDX-License-Identifier: MIT
// Where the elements of a factor of wgmma are in shared memory, by its descriptor.
// Source: PTX ISA 8.7, "Shared Memory Matrix Layout" of wgmma.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "run/arithmetic/handlers.h"

namespace run {

inline constexpr std::uint32_t kChunkBytes = 16;  // what lies side by side in each layout

// How a matrix lies in shared memory. Its outer dimension is M of A and N of B; the inner one is K.
// A matrix that is not transposed has 16 bytes of K side by side, a transposed one 16 bytes of the
// outer dimension. Rows of `row_bytes` lie in groups of eight.
struct Layout {
  std::uint32_t start = 0, leading = 0, stride = 0;  // bytes
  std::uint32_t row_bytes = 0;                       // 16: without swizzle; 32, 64, 128: with it
  std::uint32_t base_offset = 0;

  explicit Layout(std::uint64_t descriptor) {
    const auto bytes = [&](int shift) {
      return static_cast<std::uint32_t>(descriptor >> shift & 0x3fff) * 16;
    };
    start = bytes(0);
    leading = bytes(16);
    stride = bytes(32);
    base_offset = static_cast<std::uint32_t>(descriptor >> 49 & 7);
    const auto mode = static_cast<std::uint32_t>(descriptor >> 62);
    row_bytes = mode == 0 ? kChunkBytes : 256 >> mode;
  }

  // The swizzle exchanges chunks of a row by the row's number in its group; 0: it does not.
  std::uint32_t phase(std::uint32_t address) const {
    return (address / 128 - base_offset) % 8 & (row_bytes / kChunkBytes - 1);
  }
  std::uint32_t swizzled(std::uint32_t address) const {
    return address ^ phase(address) * kChunkBytes;
  }
  // Chunk `chunk` of row `outer`.
  std::uint32_t place(std::uint32_t outer, std::uint32_t chunk) const {
    const std::uint32_t step = row_bytes == kChunkBytes ? leading : kChunkBytes;
    return swizzled(start + outer / 8 * stride + outer % 8 * row_bytes + chunk * step);
  }
  // Transposed: row k has the outer indices from 8 * chunk on in one chunk.
  std::uint32_t place_transposed(std::uint32_t chunk, std::uint32_t k) const {
    if (row_bytes == kChunkBytes) {
      return start + chunk * stride + k / 8 * leading + k % 8 * kChunkBytes;
    }
    const std::uint32_t per_row = row_bytes / kChunkBytes;
    return swizzled(start + chunk / per_row * leading + chunk % per_row * kChunkBytes +
                    k / 8 * stride + k % 8 * row_bytes);
  }
};

// A matrix, or of A the rows of one warp.
struct Factor {
  Layout layout;
  std::uint32_t first = 0, num_rows = 0;  // of the outer dimension
  bool is_transposed = false;
  std::uint32_t num_chunks() const {
    return num_rows * arithmetic::kWarpgroupRowBytes / kChunkBytes;
  }
  std::uint32_t place(std::uint32_t i) const {
    if (!is_transposed) return layout.place(first + i / 2, i % 2);
    constexpr std::uint32_t kDepth = 16;
    return layout.place_transposed(first / 8 + i / kDepth, i % kDepth);
  }
  // From the chunk to rows of 32 bytes.
  void keep(std::uint32_t i, const std::byte* chunk, std::byte* rows) const {
    if (!is_transposed) {
      std::memcpy(rows + i * kChunkBytes, chunk, kChunkBytes);
      return;
    }
    constexpr std::uint32_t kDepth = 16, kElementBytes = 2;
    for (std::uint32_t e = 0; e < kChunkBytes / kElementBytes; ++e) {
      std::memcpy(
          rows + (i / kDepth * 8 + e) * arithmetic::kWarpgroupRowBytes + i % kDepth * kElementBytes,
          chunk + e * kElementBytes, kElementBytes);
    }
  }
};

}  // namespace run
