// SPDX-License-Identifier: MIT
#include "run/running.h"

#include "run/built_ins.h"

namespace simt::device {

Path host_path;
constinit thread_local Running running;

uint3 thread_index = {};
uint3 block_index = {};
dim3 block_dim;
dim3 grid_dim;

}  // namespace simt::device
