// SPDX-License-Identifier: MIT
// What the lanes of a warp give each other.
#pragma once

#include <array>
#include <cstdint>

#include "code/program.h"
#include "record/recording.h"
#include "run/warp.h"

namespace record {

// "shuffle", "ballot", "sync"; null: the instruction is no operation of a warp that a page shows.
const char* operation_name(const code::Instruction& instruction);

// Whether lanes exchange one value each. The tiles of a product of matrices are not shown.
bool has_values(const code::Instruction& instruction);

// By lane: what it gives, and what it has got after the operation.
using LaneWords = std::array<std::uint64_t, run::kWarpSize>;
void read_given(run::Warp& warp, const code::Instruction& instruction, std::uint32_t lanes,
                LaneWords& words);
void read_got(run::Warp& warp, const code::Instruction& instruction, std::uint32_t lanes,
              LaneWords& words);

}  // namespace record
