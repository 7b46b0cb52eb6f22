// SPDX-License-Identifier: MIT
#include "run/running.h"

#include "run/built_ins.h"
#include "run/path.h"

namespace simt::device {

Running running;
std::array<std::uint32_t, kPathBlocks> path_blocks;

uint3 thread_index = {};
uint3 block_index = {};
dim3 block_dim;
dim3 grid_dim;

}  // namespace simt::device
