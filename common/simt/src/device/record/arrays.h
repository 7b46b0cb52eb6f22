// SPDX-License-Identifier: MIT
// The memory that a recording shows, by name.
#pragma once

#include <cstdint>
#include <vector>

#include "record/recording.h"

namespace simt::device {

// The place in `arrays` of the one that holds the address. A new one joins them. block: the running
// one, which owns its shared memory.
std::size_t array_of(std::vector<RecordedArray>& arrays, MemorySpace space, std::uintptr_t address,
                     std::uint64_t block);

}  // namespace simt::device
