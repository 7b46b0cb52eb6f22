// SPDX-License-Identifier: MIT
// The memory that a recording shows, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/recording.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace record {

// The place in `arrays` of the one that holds what the lane accesses. A new one joins them.
std::size_t array_of(std::vector<RecordedArray>& arrays, const run::Warp& warp,
                     const run::Access& access, std::size_t lane);

// Where the bytes of the lane's access are; null: it is an access outside of all memory.
const std::byte* bytes_of(const run::Warp& warp, const run::Access& access, std::size_t lane);

}  // namespace record
