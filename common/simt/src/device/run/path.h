// SPDX-License-Identifier: MIT
// The last basic blocks that were executed, by whichever thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "program/address.h"
#include "run/running.h"

namespace simt::device {

inline constexpr std::size_t kPathBlocks = 1024;

// By Running::steps; as pack_pc() gives them.
extern std::array<std::uint32_t, kPathBlocks> path_blocks;

inline void note_block(std::uint64_t step, const void* pc) {
  path_blocks[step % kPathBlocks] = pack_pc(pc);
}
// Whether the running lane has begun a basic block since its turn began.
inline bool has_stepped() { return running.steps != running.turn_begin; }
inline std::uint32_t block_at(std::uint64_t step) { return path_blocks[step % kPathBlocks]; }

}  // namespace simt::device
