// SPDX-License-Identifier: MIT
// The entries of the book, for the other files of this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "memory/book.h"

namespace memory {

// By base address. Freed allocations stay until their room is used again.
std::map<std::uint64_t, Allocation>& entries();

// Enters a live allocation, replacing what was at its base, and informs the observer. An empty name
// becomes "allocation 3".
Allocation& enter(Allocation allocation, bool initialised);

// Marks a live allocation as freed and informs the observer.
void end(Allocation& allocation);

void note_change();  // of another kind

}  // namespace memory
