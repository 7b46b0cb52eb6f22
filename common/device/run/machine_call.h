// SPDX-License-Identifier: MIT
// A call that the machine answers: its arguments and its result, in the caller's local memory.
#pragma once

#include <cstdint>
#include <vector>

#include "run/engine.h"

namespace run {

struct MachineCall {
  std::vector<std::uint32_t> arguments;
  std::uint32_t result = 0;
  bool has_result = false;
  union {
    double (*unary)(double);
    double (*binary)(double, double);
    float (*unary_f)(float);
    float (*binary_f)(float, float);
  };
  MachineCall() : unary(nullptr) {}
};

inline const MachineCall& call_of(const code::Op* op) {
  return *static_cast<const MachineCall*>(op->details);
}

template <class T>
T argument(Warp& warp, const MachineCall& call, std::size_t i, int lane) {
  T value{};
  if (i >= call.arguments.size()) return value;
  read_local(warp, warp.part->frames.back().local_base + call.arguments[i], lane, &value,
             sizeof value);
  return value;
}

template <class T>
void give(Warp& warp, const MachineCall& call, int lane, T value) {
  if (!call.has_result) return;
  write_local(warp, warp.part->frames.back().local_base + call.result, lane, &value, sizeof value);
}

// Calls that other files carry out. Tiles of several warps, for
// common/cuda/toolkit/lockstep/block_tile.h:
// __lockstep_tile_sync(num_warps, rank, num_threads)  barriers.cpp
const code::Op* tile_sync(Warp& warp, const code::Op* op, std::uint32_t lanes);
// __lockstep_tile_put(warp, index, word)              tile.cpp
const code::Op* tile_put(Warp& warp, const code::Op* op, std::uint32_t lanes);
// __lockstep_tile_get(warp, index)                    tile.cpp
const code::Op* tile_get(Warp& warp, const code::Op* op, std::uint32_t lanes);

// Kernels that launch kernels, in nested_launch.cpp. clang makes two calls of each <<<>>>, as nvcc
// does: void* cudaGetParameterBuffer(size_t alignment, size_t size)
const code::Op* get_parameter_buffer(Warp& warp, const code::Op* op, std::uint32_t lanes);
// cudaError_t cudaLaunchDevice(void* kernel, void* parameters, dim3 grid, dim3 block,
//                              unsigned int shared_bytes, cudaStream_t stream)
const code::Op* launch_from_kernel(Warp& warp, const code::Op* op, std::uint32_t lanes);
// int __lockstep_last_error(int forget): of those launches.
const code::Op* last_error(Warp& warp, const code::Op* op, std::uint32_t lanes);

}  // namespace run
