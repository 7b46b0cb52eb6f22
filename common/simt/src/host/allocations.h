// SPDX-License-Identifier: MIT
// The book of allocations, shared by the heap and the registry. Not for use outside src/host.
#pragma once

#include <map>

#include "simt/memory.h"

namespace simt::internal {

// By base address. Freed allocations stay until their room is used again.
std::map<const std::byte*, Allocation>& book();

// Enters a live allocation, replacing what was at `base`, and informs the observer.
void enter(std::byte* base, std::size_t size_bytes, std::string name, Allocation::Kind kind,
           bool initialised);

// Marks a live allocation as freed and informs the observer.
void end(Allocation& allocation);

// Notes that the book has changed in another way.
void touch();

// Reserves the range on first use; exits with a message if it cannot be had.
void reserve_range();

// The heap fills the range from its start, arenas from kArenaBase on.
inline constexpr std::uintptr_t kArenaBase = kDeviceBase + (kDeviceRangeBytes / 4) * 3;

}  // namespace simt::internal
