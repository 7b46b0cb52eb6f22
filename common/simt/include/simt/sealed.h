// SPDX-License-Identifier: MIT
// Memory for what decides about points: counters and findings. It lies in the device's range of
// addresses, so the hooks look at each access of the program to it, and end the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "simt/memory.h"

namespace simt {

// It begins at a random page of this room, in which nothing else lies: some functions of the C
// library access memory without being announced, and must not hit it by a fixed address.
inline constexpr std::size_t kSealedRoomBytes = std::size_t{1} << 30;
inline constexpr std::uintptr_t kSealedRoom = kDeviceBase + kDeviceRangeBytes - kSealedRoomBytes;

// Of the program that was ended, by _exit().
inline constexpr int kSealedStatus = 125;

inline bool is_sealed(std::uintptr_t address) { return address - kSealedRoom < kSealedRoomBytes; }

// What does not fit in comes from the heap, which is not sealed.
std::pmr::memory_resource* sealed_memory();

}  // namespace simt
