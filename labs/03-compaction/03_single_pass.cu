// SPDX-License-Identifier: MIT
// One launch that reads each item once: a tile learns by look-back what all tiles before it keep.
// Make it right with one tile per block first. Then make it fast, TODO by TODO.
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerThread = 16;
constexpr int kItemsPerTile = kThreadsPerBlock * kItemsPerThread;

// d_in, d_out (num_items), d_count (1); `look_back` has a tile per block.
__global__ void single_pass_kernel(const int* d_in, int num_items, Predicate keep,
                                   LookBack<int> look_back, int* d_out, int* d_count) {
  // TODO 1. Read lab/look_back.cuh. Whose tile is blockIdx.x? Draw a ticket instead; why?
  // TODO 2. Rank and count the tile's items as in 02. As soon as the tile's count is known, publish
  //         it; let one warp look back, and hand the result to the block. The operator is a struct
  //         with operator()(int, int). Which block writes d_count?
  // TODO 3. While one warp looks back, what can the others do already?
  //
  // Right? Then measure, and make it fast.
  // TODO 4. Load int4, 16 bytes per lane. Then a lane has four neighbouring items; a row's
  //         order is lane first, then item. How many kept items are before yours? The counts of
  //         four rows fit into the four bytes of one word: how many warp scans does that save?
  // TODO 5. A tile waits for those before it, and reads the words of 32 at a time. How many tiles
  //         are in flight at once? What do larger tiles change? (More than 48 KiB of shared memory:
  //         extern __shared__, and cudaFuncSetAttribute before the launch.) Why would it be a
  //         mistake to draw the next ticket early, before the block is done with this one?
  // TODO 6. d_out[offset] may lie anywhere in a line of 128 bytes. Which thread should begin, so
  //         that no warp stores to two lines at once?
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  todo("03_single_pass: write the kernel and its one launch, then delete this line");

  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));
  const LookBack<int> look_back(num_tiles, scratch, stream);
  single_pass_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, look_back,
                                                                 d_out, d_count);
  check_launch();
}

}  // namespace lab
