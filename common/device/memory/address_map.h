// SPDX-License-Identifier: MIT
// Where things are in the generic address space that kernels see. Device memory lies in the device
// process at the very addresses that kernels use; the worker has nothing mapped there but memory
// that CUDA shares with the host (managed, pinned), at the same addresses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memory {

// Device memory, __device__ and __constant__ variables, the judge's arena.
#if defined(__x86_64__)
inline constexpr std::uint64_t kDeviceBase = 0x2000'0000'0000;
#else  // some aarch64 systems have addresses of 39 bits
inline constexpr std::uint64_t kDeviceBase = 0x20'0000'0000;
#endif
inline constexpr std::uint64_t kDeviceRangeBytes = std::uint64_t{16} << 30;
// The part of it that the host may map, too.
inline constexpr std::uint64_t kSharedWithHostBase = kDeviceBase + (std::uint64_t{12} << 30);
inline constexpr std::uint64_t kSharedWithHostBytes = std::uint64_t{4} << 30;
inline constexpr std::uint64_t kDeviceMemoryBytes = std::uint64_t{4} << 30;  // programs can have

// Windows. A block's shared memory: one window for each block of a cluster.
inline constexpr std::uint64_t kSharedBase = kDeviceBase - (std::uint64_t{1} << 32);
inline constexpr std::uint64_t kSharedWindowBytes = std::uint64_t{1} << 24;
inline constexpr std::uint32_t kMaxClusterSize = 16;
inline constexpr std::uint32_t kMaxPortableClusterSize = 8;
// A thread's local memory: each resident thread has a window of its own, so that a pointer to
// another thread's variable is recognised.
inline constexpr std::uint64_t kLocalBase = kDeviceBase - (std::uint64_t{1} << 36);
inline constexpr std::uint64_t kLocalWindowBytes = std::uint64_t{1} << 19;  // most that CUDA gives
// A launch's parameters, where a kernel takes their address.
inline constexpr std::uint64_t kParamBase = kDeviceBase - (std::uint64_t{3} << 36);

inline constexpr std::size_t kAllocationAlignment = 256;
inline constexpr std::size_t kRedZoneBytes = 256;  // least free room after an allocation

// Of a __managed__ variable, which the host maps page by page. clang's PTX has no other sign of
// one: common/cuda/toolkit/lockstep/keywords.h.
inline constexpr std::uint64_t kManagedAlignment = std::uint64_t{64} << 10;

// What fresh memory holds, in words: a NaN as float and as double, an odd negative number as int.
inline constexpr std::uint32_t kPoisonWord = 0xFFF8DEAD;

inline bool is_device(std::uint64_t address) { return address - kDeviceBase < kDeviceRangeBytes; }

}  // namespace memory
