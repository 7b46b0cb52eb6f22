// SPDX-License-Identifier: MIT
// Launch arithmetic shared by every lab.
#pragma once

#include <cuda_runtime.h>

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

}  // namespace lab
