// SPDX-License-Identifier: MIT
// The same look-back, larger tiles: items never leave their thread's registers, warps scan them by
// shuffles, and shared memory holds one sum per warp.
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerRow = kWarpSize * 4;  // one 16-byte load per lane
constexpr int kVectorsPerThread = 4;         // loads that a thread has in flight
constexpr int kItemsPerWarp = kVectorsPerThread * kItemsPerRow;
constexpr int kItemsPerTile = kNumWarps * kItemsPerWarp;
constexpr unsigned kFullWarp = 0xffffffffu;

// TODO 1. State, AtomicWord, publish() and look_back() are your 05b's.
using TileWord = unsigned long long;

// items[k] = the four words from d_warp[(k * kWarpSize + lane_id) * 4] on. Of the warp's words,
// num_left exist; the others count as 0.
__device__ void load_items(const unsigned* d_warp, int num_left,
                           uint4 (&items)[kVectorsPerThread]) {
  // TODO 2. Nothing to write here; store_items needs the same two cases. Why are a thread's vectors
  //         a warp's width apart, and not next to each other? Why must d_warp be aligned?
  const int lane_id = threadIdx.x % kWarpSize;
  if (num_left >= kItemsPerWarp) {
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {  // __ldcs: read once, not worth keeping
      items[k] = __ldcs(&reinterpret_cast<const uint4*>(d_warp)[k * kWarpSize + lane_id]);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const int i = (k * kWarpSize + lane_id) * 4;
    items[k].x = i < num_left ? d_warp[i] : 0;
    items[k].y = i + 1 < num_left ? d_warp[i + 1] : 0;
    items[k].z = i + 2 < num_left ? d_warp[i + 2] : 0;
    items[k].w = i + 3 < num_left ? d_warp[i + 3] : 0;
  }
}

// Adds `increment` to the items and writes them to where load_items found them.
__device__ void store_items(const uint4 (&items)[kVectorsPerThread], unsigned increment,
                            int num_left, unsigned* d_warp) {
  // TODO 3. Whole vectors if the warp has all its items, as above; __stcs is the store of __ldcs.
  //         The last tile's items end anywhere, in the middle of a vector, too.
}

// Replaces the warp's items by their exclusive scan, and returns their sum.
__device__ unsigned scan_warp(uint4 (&items)[kVectorsPerThread]) {
  // TODO 4. The items' order is row by row: row k holds the k-th vectors of all lanes. Scan a row:
  //         each lane adds up its own four words, and 5 shuffles scan the lanes' sums.
  //         __shfl_up_sync(mask, value, distance) returns the value of the lane `distance` below.
  //         A lane without such a neighbour gets its own value: may it add that?
  // TODO 5. What lies before lane 7's third word? And what do you carry to the next row?
  return 0;
}

// Writes the exclusive scan of d_in to d_out (num_items). One tile per block; d_ticket (1) and
// d_words (gridDim.x) are 0 at first.
__global__ void look_back_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                 TileWord* d_ticket, TileWord* d_words) {
  // TODO 6. Where do the items of this warp begin, and how many are left from there on?
  // TODO 7. Every warp writes its sum to shared memory. Which sums does a warp add up? Which thread
  //         has the tile's sum then, without more work?
  // TODO 8. Publish, look back, publish, as in 05b. How does the sum of the tiles before reach
  //         the other threads?
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("05c_items_in_registers: write the kernel and its helpers, then delete this line");

  if (num_items == 0) return;
  // TODO 9. As in 05b. Then change kVectorsPerThread and kThreadsPerBlock: how many tiles are
  //         there, how many bytes are in flight, and how many registers does a thread need?
  const int num_tiles = ceil_div(num_items, kItemsPerTile);
  TileWord* d_ticket = scratch.allocate<TileWord>(1 + num_tiles);
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_ticket, d_ticket + 1);
  check_launch();
}

}  // namespace lab
