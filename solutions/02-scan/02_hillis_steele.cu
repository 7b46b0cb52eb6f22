// SPDX-License-Identifier: MIT
// One block, one thread per item: after step k each word holds the sum of the last 2^k items.
// New: log2 N steps instead of N, as threads reuse each other's sums. Limit: N log2 N additions,
// and one block. (W. D. Hillis and G. L. Steele, "Data Parallel Algorithms", CACM 29(12), 1986.)
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = kMaxItemsInOneBlock;

__global__ void hillis_steele_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[2][kThreadsPerBlock];  // ping and pong: one is read, one is written
  const int t = threadIdx.x;

  // One word further to the right: the inclusive scan of the shifted items is the exclusive scan.
  tile[0][t] = 0 < t && t < num_items ? d_in[t - 1] : 0;

  int source = 0;
  for (int distance = 1; distance < num_items; distance *= 2) {
    // All words of the source are written, and no thread still reads the buffer for the next write:
    // its last readers were in the step before. In one buffer that would take a second barrier.
    __syncthreads();
    const unsigned own = tile[source][t];
    tile[1 - source][t] = t >= distance ? tile[source][t - distance] + own : own;
    source = 1 - source;
  }
  if (t < num_items) d_out[t] = tile[source][t];  // this thread's own word: no barrier needed
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
