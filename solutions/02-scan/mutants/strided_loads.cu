// SPDX-License-Identifier: MIT
// mutant of: 05_scan_then_fan
// mistake: 22, strided, uncoalesced loads: each thread loads two neighbours
// expect: failed budget
// also: slow
// needs: budget
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {
constexpr int kNumBanks = 32;
constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

__host__ __device__ constexpr int padded(int i) { return i + i / kNumBanks; }

constexpr int kWordsPerTile = padded(kItemsPerBlock - 1) + 1;

__global__ void scan_blocks_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                   unsigned* d_block_sums) {
  __shared__ unsigned tile[kWordsPerTile];
  const int t = threadIdx.x;
  const int begin = blockIdx.x * kItemsPerBlock;
  const int num_tile_items = num_items - begin;

  for (int i = 2 * t; i < 2 * t + 2; ++i) {
    tile[padded(i)] = i < num_tile_items ? d_in[begin + i] : 0;
  }

  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();
    const int right = (t + 1) * 2 * stride - 1;
    if (right < kItemsPerBlock) tile[padded(right)] += tile[padded(right - stride)];
  }

  if (t == 0) {
    d_block_sums[blockIdx.x] = tile[padded(kItemsPerBlock - 1)];
    tile[padded(kItemsPerBlock - 1)] = 0;
  }

  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    const unsigned left_sum = tile[padded(right - stride)];
    tile[padded(right - stride)] = tile[padded(right)];
    tile[padded(right)] += left_sum;
  }

  __syncthreads();
  for (int i = t; i < kItemsPerBlock && i < num_tile_items; i += kThreadsPerBlock) {
    d_out[begin + i] = tile[padded(i)];
  }
}

__global__ void add_increments_kernel(const unsigned* d_increments, int num_items,
                                      unsigned* d_items) {
  const int begin = blockIdx.x * kItemsPerBlock;
  const int num_tile_items = num_items - begin;
  const unsigned increment = d_increments[blockIdx.x];
  for (int i = threadIdx.x; i < kItemsPerBlock && i < num_tile_items; i += kThreadsPerBlock) {
    d_items[begin + i] += increment;
  }
}

void scan_level(const unsigned* d_in, int num_items, unsigned* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const int num_blocks = ceil_div(num_items, kItemsPerBlock);
  unsigned* d_block_sums = scratch.allocate<unsigned>(num_blocks);
  scan_blocks_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out,
                                                                  d_block_sums);
  check_launch();
  if (num_blocks == 1) return;

  scan_level(d_block_sums, num_blocks, d_block_sums, scratch, stream);
  add_increments_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_block_sums, num_items,
                                                                     d_out);
  check_launch();
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  scan_level(as_unsigned(d_in), num_items, as_unsigned(d_out), scratch, stream);
}

}  // namespace lab
