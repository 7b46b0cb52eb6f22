// SPDX-License-Identifier: MIT
// How the device's range of addresses is divided, for the other files of this folder.
#pragma once

#include <cstdint>

#include "memory/address_map.h"

namespace memory {

// The heap of what only the device has; then the arenas of the judge, variables of modules and
// scratch room; then the heap of what the host has, too, and behind it the memory that the host has
// registered, and __managed__ variables.
inline constexpr std::uint64_t kArenaBase = kDeviceBase + (std::uint64_t{8} << 30);
inline constexpr std::uint64_t kArenaEnd = kSharedWithHostBase;
inline constexpr std::uint64_t kRangeEnd = kDeviceBase + kDeviceRangeBytes;
inline constexpr std::uint64_t kManagedVariablesBase = kRangeEnd - (std::uint64_t{256} << 20);
inline constexpr std::uint64_t kRegisteredBytes = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kRegisteredBase = kManagedVariablesBase - kRegisteredBytes;

inline constexpr std::uint64_t kCommitBytes = std::uint64_t{2} << 20;

// Makes reserved room usable; false: the system refuses.
bool commit(std::uint64_t begin, std::uint64_t size_bytes);

// Returns whole pages to the system, and zeros in them.
void give_pages_back(std::uint64_t begin, std::uint64_t end);

}  // namespace memory
