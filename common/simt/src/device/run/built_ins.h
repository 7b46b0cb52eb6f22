// SPDX-License-Identifier: MIT
// The storage of the built-in variables such as threadIdx, which programs see as constants.
#pragma once

#include "simt/vector_types.h"

namespace simt::device {

extern uint3 thread_index asm("threadIdx");
extern uint3 block_index asm("blockIdx");
extern dim3 block_dim asm("blockDim");
extern dim3 grid_dim asm("gridDim");

}  // namespace simt::device
