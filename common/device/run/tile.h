// SPDX-License-Identifier: MIT
// Tiles of several warps: what common/cuda/toolkit/lockstep/block_tile.h calls.
#pragma once

#include "run/engine.h"

namespace run {

// __lockstep_tile_sync(num_warps, rank, num_threads); barriers.cpp
const code::Op* tile_sync(Warp& warp, const code::Op* op, std::uint32_t lanes);
// __lockstep_tile_put(warp, index, word)
const code::Op* tile_put(Warp& warp, const code::Op* op, std::uint32_t lanes);
// __lockstep_tile_get(warp, index)
const code::Op* tile_get(Warp& warp, const code::Op* op, std::uint32_t lanes);

}  // namespace run
