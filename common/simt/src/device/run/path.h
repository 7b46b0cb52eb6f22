// SPDX-License-Identifier: MIT
// The last basic blocks that the kernel's threads have executed.
#pragma once

#include <cstdint>

#include "program/address.h"
#include "run/running.h"

namespace simt::device {

// As pack_pc() gives them.
extern Path kernel_path;

inline void note_block(std::uint64_t step, const void* pc) {
  (*running.path)[step % kPathBlocks] = pack_pc(pc);
}
// Whether the running lane has begun a basic block since its turn began.
inline bool has_stepped() { return running.steps != running.turn_begin; }
inline std::uint32_t block_at(std::uint64_t step) { return kernel_path[step % kPathBlocks]; }

}  // namespace simt::device
