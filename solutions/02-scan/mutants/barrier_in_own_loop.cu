// SPDX-License-Identifier: MIT
// mutant of: 02_hillis_steele
// mistake: 3, a barrier in a loop whose trip count depends on the thread
// expect: failed barrier_divergence
// also: deadlock, wrong_result, timeout, race, uninitialized_read
// line: 22
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {
namespace {
constexpr int kThreadsPerBlock = kMaxItemsInOneBlock;

__global__ void hillis_steele_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[2][kThreadsPerBlock];
  const int t = threadIdx.x;

  tile[0][t] = 0 < t && t < num_items ? d_in[t - 1] : 0;

  int source = 0;
  for (int distance = 1; distance <= t; distance *= 2) {
    __syncthreads();
    const unsigned own = tile[source][t];
    tile[1 - source][t] = tile[source][t - distance] + own;
    source = 1 - source;
  }
  if (t < num_items) d_out[t] = tile[source][t];
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
