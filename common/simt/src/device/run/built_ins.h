// SPDX-License-Identifier: MIT
// The storage of the built-in variables such as threadIdx, which programs see as constants.
#pragma once

#include <cstdint>

#include "simt/vector_types.h"

namespace simt::device {

extern uint3 thread_index asm("threadIdx");
extern uint3 block_index asm("blockIdx");
extern dim3 block_dim asm("blockDim");
extern dim3 grid_dim asm("gridDim");

// Whether it lies in one of them, which a device has in registers.
inline bool is_builtin(std::uintptr_t address) {
  const auto lies_in = [address](const auto& variable) {
    return address - reinterpret_cast<std::uintptr_t>(&variable) < sizeof variable;
  };
  return lies_in(thread_index) || lies_in(block_index) || lies_in(block_dim) || lies_in(grid_dim);
}

}  // namespace simt::device
