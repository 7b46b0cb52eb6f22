// SPDX-License-Identifier: MIT
// Any length: every block scans its own tile and writes its sum, the sums are scanned in the same
// way, and every block's sum of what lies before it is added to its items.
// New: blocks that depend on each other, in launches. Cost: every item is read twice and written
// twice. (S. Sengupta, M. Harris, Y. Zhang and J. D. Owens, "Scan Primitives for GPU Computing",
// 2007.)
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

// Scans each block's tile of d_in on its own; d_block_sums (gridDim.x) gets the tiles' sums. d_out
// may be d_in: a block reads its tile before it writes it, and touches no other.
__global__ void scan_blocks_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                   unsigned* d_block_sums) {
  __shared__ unsigned tile[kWordsPerTile];
  const int t = threadIdx.x;
  const int begin = blockIdx.x * kItemsPerBlock;
  const int num_tile_items = num_items - begin;  // may be more than a tile

  for (int i = t; i < kItemsPerBlock; i += kThreadsPerBlock) {
    tile[padded(i)] = i < num_tile_items ? d_in[begin + i] : 0;
  }

  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();  // both children were written by other threads, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right < kItemsPerBlock) tile[padded(right)] += tile[padded(right - stride)];
  }

  if (t == 0) {  // wrote the root in the last step; partial tiles have a sum like all others
    d_block_sums[blockIdx.x] = tile[padded(kItemsPerBlock - 1)];
    tile[padded(kItemsPerBlock - 1)] = 0;
  }

  for (int stride = kItemsPerBlock / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the node's word was written by another thread, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right >= kItemsPerBlock) continue;
    const unsigned left_sum = tile[padded(right - stride)];
    tile[padded(right - stride)] = tile[padded(right)];
    tile[padded(right)] += left_sum;
  }

  __syncthreads();  // the words were written by other threads
  for (int i = t; i < kItemsPerBlock && i < num_tile_items; i += kThreadsPerBlock) {
    d_out[begin + i] = tile[padded(i)];
  }
}

// Adds d_increments[block], the sum of all tiles before it, to each item of a block's tile.
__global__ void add_increments_kernel(const unsigned* d_increments, int num_items,
                                      unsigned* d_items) {
  const int begin = blockIdx.x * kItemsPerBlock;
  const int num_tile_items = num_items - begin;
  const unsigned increment = d_increments[blockIdx.x];
  for (int i = threadIdx.x; i < kItemsPerBlock && i < num_tile_items; i += kThreadsPerBlock) {
    d_items[begin + i] += increment;
  }
}

// d_out may be d_in. Calls itself with 1024 times fewer items: four levels at the most.
void scan_level(const unsigned* d_in, int num_items, unsigned* d_out, Scratch& scratch,
                cudaStream_t stream) {
  const int num_blocks = ceil_div(num_items, kItemsPerBlock);
  unsigned* d_block_sums = scratch.allocate<unsigned>(num_blocks);
  scan_blocks_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out,
                                                                  d_block_sums);
  check_launch();
  if (num_blocks == 1) return;  // nothing stands before the only tile

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
