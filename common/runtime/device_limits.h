// SPDX-License-Identifier: MIT
// What the presented device can hold, as CUDA reports it: compute capability 9.0 with few
// multiprocessors, so that small grids already fill it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "memory/address_map.h"

namespace runtime {

inline constexpr int kWarpSize = 32;
inline constexpr int kNumMultiprocessors = LAB_MULTIPROCESSORS;
inline constexpr std::size_t kDeviceMemoryBytes = memory::kDeviceMemoryBytes;

// A block.
inline constexpr unsigned kMaxThreadsPerBlock = 1024;
inline constexpr unsigned kMaxBlockDim[3] = {1024, 1024, 64};
inline constexpr unsigned kMaxGridDim[3] = {2147483647, 65535, 65535};
inline constexpr std::size_t kDefaultSharedBytesPerBlock = std::size_t{48} << 10;

// A multiprocessor.
inline constexpr int kMaxBlocksPerMultiprocessor = 32;
inline constexpr int kMaxThreadsPerMultiprocessor = 2048;
inline constexpr std::size_t kSharedBytesPerMultiprocessor = std::size_t{228} << 10;
inline constexpr std::size_t kReservedSharedBytesPerBlock = std::size_t{1} << 10;

// Reported but not enforced.
inline constexpr int kComputeMajor = 9;
inline constexpr int kComputeMinor = 0;
inline constexpr int kRegistersPerMultiprocessor = 65536;
inline constexpr int kRegistersPerThread = 32;  // as many as fit at full occupancy
inline constexpr std::size_t kConstantBytes = std::size_t{64} << 10;
inline constexpr std::size_t kL2CacheBytes = std::size_t{60} << 20;
inline constexpr std::size_t kMaxAccessPolicyWindowBytes = std::size_t{128} << 20;

// Textures and arrays, in elements.
inline constexpr int kMaxTexture1D[3] = {131072, 1, 1};
inline constexpr int kMaxTexture2D[3] = {131072, 65536, 1};
inline constexpr int kMaxTexture3D[3] = {16384, 16384, 16384};
inline constexpr int kMaxTexture1DLayered[3] = {32768, 1, 2048};
inline constexpr int kMaxTexture2DLayered[3] = {32768, 32768, 2048};
inline constexpr int kMaxCubemapLayers = kMaxTexture2DLayered[2] / 6 * 6;  // six faces each
inline constexpr int kMaxTexture1DLinear = 268435456;
inline constexpr std::size_t kTextureAlignment = 512;      // of a base, in bytes
inline constexpr std::size_t kTexturePitchAlignment = 32;  // from row to row

// What the device claims to have: a judge may let it pose as another.
struct Multiprocessors {
  int count = kNumMultiprocessors;
  int threads = kMaxThreadsPerMultiprocessor;                // of each
  std::size_t shared_bytes = kSharedBytesPerMultiprocessor;  // of each
  std::size_t l2_bytes = kL2CacheBytes;                      // of all together
};
inline Multiprocessors g_multiprocessors;

inline std::size_t max_shared_bytes_per_block() {  // with opt-in
  return g_multiprocessors.shared_bytes - kReservedSharedBytesPerBlock;
}
inline std::size_t max_persisting_l2_bytes() { return g_multiprocessors.l2_bytes / 8 * 5; }

// Blocks of this shape that one multiprocessor holds at a time; 0 if not even one fits.
// Threads count in whole warps. Registers are not modelled.
inline int blocks_per_multiprocessor(int threads_per_block, std::size_t shared_bytes) {
  const bool fits = threads_per_block >= 1 &&
                    threads_per_block <= static_cast<int>(kMaxThreadsPerBlock) &&
                    shared_bytes <= max_shared_bytes_per_block();
  if (!fits) return 0;
  const int warps_per_block = (threads_per_block + kWarpSize - 1) / kWarpSize;
  const int by_threads = g_multiprocessors.threads / (warps_per_block * kWarpSize);
  const auto by_shared = static_cast<int>(g_multiprocessors.shared_bytes /
                                          (shared_bytes + kReservedSharedBytesPerBlock));
  return std::min({by_threads, by_shared, kMaxBlocksPerMultiprocessor});
}

}  // namespace runtime
