// SPDX-License-Identifier: MIT
// mutant of: 02_hillis_steele
// mistake: 2, the second barrier missing when a buffer is reused: read, barrier, write
// expect: failed race
// also: wrong_result
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {
namespace {
constexpr int kThreadsPerBlock = kMaxItemsInOneBlock;

__global__ void hillis_steele_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[kThreadsPerBlock];
  const int t = threadIdx.x;

  tile[t] = 0 < t && t < num_items ? d_in[t - 1] : 0;

  __syncthreads();
  for (int distance = 1; distance < num_items; distance *= 2) {
    const unsigned earlier = t >= distance ? tile[t - distance] : 0;
    __syncthreads();
    tile[t] += earlier;
  }
  if (t < num_items) d_out[t] = tile[t];
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  hillis_steele_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                           as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
