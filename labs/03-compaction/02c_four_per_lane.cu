// SPDX-License-Identifier: MIT
// 02b with four neighbouring items per lane and load, and larger tiles. A vote no longer ranks
// them; one scan over the warp ranks four rows at once.
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kVectorsPerThread = 4;
constexpr int kItemsPerThread = 4 * kVectorsPerThread;
constexpr int kItemsPerTile = kThreadsPerBlock * kItemsPerThread;

// This thread's items of one tile. Bit i of `exists` and of kept() is for item i.
struct ThreadItems {
  int items[kItemsPerThread];
  unsigned exists;
  __device__ unsigned kept(Predicate keep) const {
    // TODO 1. Why one word with a bit per item, and not an array of bool?
    return 0;
  }
};

// A warp's k-th vectors form a row of 128 neighbouring items, and its rows follow on each other: a
// tile's order is warp, row, lane, item.
__device__ void load(const int* d_in, int num_items, int tile, ThreadItems& mine) {
  // TODO 2. Load int4. Where does this lane's k-th vector begin? In which tile can it not be
  //         loaded whole, and what do you load there?
}

// Kept items of a warp's rows, byte k for row k.
using RowCounts = unsigned;
struct RowRanks {
  RowCounts before;  // in the lanes below
  RowCounts counts;  // in all lanes
};

// One scan over the warp ranks all rows. All 32 lanes must call.
__device__ RowRanks rank_rows(unsigned kept) {
  // TODO 3. This lane keeps 0 to 4 items of each row. Put the four numbers into the bytes of one
  //         word, and scan the words by __shfl_up_sync. How large can a byte become, and why does
  //         none overflow into the next?
  // TODO 4. From the inclusive sum, how do you get what the lanes below keep, and what all keep?
  return {0, 0};
}

// d_in, d_out (num_items), d_count (1); `look_back` has a tile per block.
__global__ void __launch_bounds__(kThreadsPerBlock)
    four_per_lane_kernel(const int* d_in, int num_items, Predicate keep, LookBack<int> look_back,
                         int* d_out, int* d_count) {
  // TODO 5. The order of events is that of your 02b. Which number of `ranks` is the warp's count?
  // TODO 6. A lane's kept items of a row are neighbours in shared memory. Where do they begin? And
  //         where does the warp's next row begin?
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  todo("02c_four_per_lane: write the kernel and its one launch, then delete this line");

  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));
  const LookBack<int> look_back(num_tiles, scratch, stream);
  four_per_lane_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, keep, look_back,
                                                                   d_out, d_count);
  check_launch();
}

}  // namespace lab
