// SPDX-License-Identifier: MIT
// mutant of: 04_conflict_free
// mistake: 23, bank conflicts: no padding
// expect: failed budget
// also: slow
// needs: budget
#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {
namespace {
constexpr int kNumBanks = 32;
constexpr int kItemsPerBlock = kMaxItemsInOneBlock;
constexpr int kThreadsPerBlock = kItemsPerBlock / 2;

__host__ __device__ constexpr int padded(int i) { return i; }

constexpr int kWordsPerTile = padded(kItemsPerBlock - 1) + 1;

__global__ void conflict_free_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[kWordsPerTile];
  const int t = threadIdx.x;

  for (int i = t; i < kItemsPerBlock; i += kThreadsPerBlock) {
    tile[padded(i)] = i < num_items ? d_in[i] : 0;
  }

  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();
    const int right = (t + 1) * 2 * stride - 1;
    if (right < kItemsPerBlock) tile[padded(right)] += tile[padded(right - stride)];
  }

  if (t == 0) tile[padded(kItemsPerBlock - 1)] = 0;

  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    const unsigned left_sum = tile[padded(right - stride)];
    tile[padded(right - stride)] = tile[padded(right)];
    tile[padded(right)] += left_sum;
  }

  __syncthreads();
  for (int i = t; i < num_items; i += kThreadsPerBlock) d_out[i] = tile[padded(i)];
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  if (num_items > kMaxItemsInOneBlock) throw TooManyItems(num_items);
  conflict_free_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                           as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
