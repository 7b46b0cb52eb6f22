// SPDX-License-Identifier: MIT
// Kernels that launch kernels: clang makes two calls of each <<<>>>, as nvcc does.
#pragma once

#include "run/engine.h"

namespace run {

// void* cudaGetParameterBuffer(size_t alignment, size_t size)
const code::Op* get_parameter_buffer(Warp& warp, const code::Op* op, std::uint32_t lanes);
// cudaError_t cudaLaunchDevice(void* kernel, void* parameters, dim3 grid, dim3 block,
//                              unsigned int shared_bytes, cudaStream_t stream)
const code::Op* launch_from_kernel(Warp& warp, const code::Op* op, std::uint32_t lanes);
// int __lockstep_last_error(int forget): of those launches.
const code::Op* last_error(Warp& warp, const code::Op* op, std::uint32_t lanes);

}  // namespace run
