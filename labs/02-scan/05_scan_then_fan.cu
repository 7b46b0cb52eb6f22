// SPDX-License-Identifier: MIT
// Any length: every block scans its own tile and writes its sum, the sums are scanned in the same
// way, and every block's sum of what lies before it is added to its items.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

// Scans each block's tile of d_in on its own; d_block_sums (gridDim.x) gets the tiles' sums.
__global__ void scan_blocks_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                   unsigned* d_block_sums) {
  // TODO 1. Your 04, on the tile that begins at blockIdx.x * kItemsPerBlock. The last tile may be
  //         partial: its sum must be written all the same.
  // TODO 2. When is the tile's sum in shared memory, where, and for how long? Which threads may
  //         read it without another barrier?
  // TODO 3. Below, the sums are scanned in place: d_out is d_in. What makes that safe here?
}

// Adds d_increments[block], the sum of all tiles before it, to each item of a block's tile.
__global__ void add_increments_kernel(const unsigned* d_increments, int num_items,
                                      unsigned* d_items) {
  // TODO 4. Which increment is this block's?
}

// d_out may be d_in.
void scan_level(const unsigned* d_in, int num_items, unsigned* d_out, Scratch& scratch,
                cudaStream_t stream) {
  // TODO 5. How many blocks, and so how many sums? Why is a launch that follows another on the same
  //         stream the barrier between all blocks that __syncthreads() is not?
  const int num_blocks = 1;
  unsigned* d_block_sums = scratch.allocate<unsigned>(num_blocks);
  scan_blocks_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out,
                                                                  d_block_sums);
  check_launch();

  // TODO 6. Scan the block sums: they may be more than a block can scan. When is there nothing to
  //         do? How deep can this go with 2^31 - 1 items?
  add_increments_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_block_sums, num_items,
                                                                     d_out);
  check_launch();
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("05_scan_then_fan: write both kernels and scan_level, then delete this line");

  if (num_items == 0) return;
  scan_level(as_unsigned(d_in), num_items, as_unsigned(d_out), scratch, stream);
}

}  // namespace lab
