// SPDX-License-Identifier: MIT
// Launch arithmetic shared by every lab.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace lab {

// Smallest integer >= dividend / divisor, for dividend >= 0 and divisor > 0. Written without
// `dividend + divisor - 1`, which overflows near the top of the type.
template <class T>
__host__ __device__ constexpr T ceil_div(T dividend, T divisor) {
  return dividend / divisor + (dividend % divisor != 0 ? T{1} : T{0});
}

// Streaming multiprocessors of the current device; the unit in which grid sizes are chosen.
inline int num_multiprocessors() {
  int device = 0;
  int count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

// Blocks of `kernel` that the current device holds at the same time: enough for a grid-stride loop.
// Further blocks would start only when others have ended. Registers, shared memory and threads
// limit the number, each of them differently on each device.
template <class Kernel>
int max_resident_blocks(Kernel* kernel, int threads_per_block,
                        std::size_t dynamic_shared_bytes = 0) {
  int blocks_per_multiprocessor = 1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_multiprocessor, kernel,
                                                threads_per_block, dynamic_shared_bytes);
  return num_multiprocessors() * blocks_per_multiprocessor;
}

}  // namespace lab
