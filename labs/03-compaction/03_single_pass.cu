// SPDX-License-Identifier: MIT
// 02c at the memory's speed: tiles as large as shared memory allows, few shuffles before the count
// is published, and stores that begin where a line begins.
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kLargeBlock = 1024;  // threads
constexpr int kSmallBlock = 512;
constexpr int kMostVectors = 8;  // per thread

// TODO 1. Begin with your 02c. Make ThreadItems, load and rank_rows templates of the number of
//         vectors per thread. What type do eight rows need as RowCounts?

// d_in, d_out (num_items), d_count (1); `look_back` has a tile per block. A tile's items fit in
// the dynamic shared memory.
template <int kThreadsPerBlock, int kVectorsPerThread>
__global__ void __launch_bounds__(kThreadsPerBlock)
    single_pass_kernel(const int* d_in, int num_items, Predicate keep, LookBack<int> look_back,
                       int* d_out, int* d_count) {
  extern __shared__ int kept_items[];
  // TODO 2. A tile waits for those before it, and reads the words of 32 at a time. How many tiles
  //         are in flight at once? What do larger tiles change? Why would it be a mistake to draw
  //         the next ticket early, before the block is done with this one?
  // TODO 3. Later tiles wait for this tile's count. What do you compute before it now that
  //         could wait until it is published? __popc and __reduce_add_sync count a warp's items.
  //         Which threads add the warps' counts? How many additions follow one another?
  // TODO 4. While one warp looks back, the others wait at the barrier. What if it looks back last?
  // TODO 5. d_out[offset] may lie anywhere in a line of 128 bytes. Which thread should begin, so
  //         that no warp stores to two lines at once?
}

template <int kThreadsPerBlock, int kVectorsPerThread>
void compact_by(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
                Scratch& scratch, cudaStream_t stream) {
  constexpr int kItemsPerTile = kThreadsPerBlock * 4 * kVectorsPerThread;
  constexpr int kTileBytes = kItemsPerTile * sizeof(int);
  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));
  const LookBack<int> look_back(num_tiles, scratch, stream);
  const auto kernel = single_pass_kernel<kThreadsPerBlock, kVectorsPerThread>;
  // TODO 6. A kernel gets more than 48 KiB of dynamic shared memory only after a call that asks for
  //         it: cudaFuncSetAttribute.
  kernel<<<num_tiles, kThreadsPerBlock, kTileBytes, stream>>>(d_in, num_items, keep, look_back,
                                                              d_out, d_count);
  check_launch();
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  todo("03_single_pass: write the kernel, then delete this line");

  // TODO 7. How large a tile fits this device (cudaDevAttrMaxSharedMemoryPerBlockOptin)? And how
  //         large may it be for an array of 2^16 items, if all multiprocessors should have one?
  compact_by<kSmallBlock, 2>(d_in, num_items, keep, d_out, d_count, scratch, stream);
}

}  // namespace lab
