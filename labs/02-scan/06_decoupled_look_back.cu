// SPDX-License-Identifier: MIT
// One launch: every item is read once and written once. A tile learns what lies before it from its
// predecessors' words in device memory, while other tiles load and store.
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kVectorsPerThread = 4;  // 16-byte loads that a thread has in flight
constexpr int kItemsPerTile = kThreadsPerBlock * kVectorsPerThread * 4;

// What a tile publishes, state above and value below, in one word that is read and written
// as a whole: AtomicWord(word).load(cuda::memory_order_relaxed), .store(value, ...).
using TileWord = unsigned long long;
enum State : unsigned { kEmpty, kAggregate, kPrefix };  // nothing yet; the tile's sum; all up to it

using AtomicWord = cuda::atomic_ref<TileWord, cuda::thread_scope_device>;

// TODO 1. publish() is your 05b's, and so is the kernel's ticket.

// Returns the sum of all tiles before `tile`, in every lane. Called by one whole warp.
__device__ unsigned look_back(TileWord* d_words, int tile) {
  // TODO 2. Lane l reads the word of tile - 1 - l: 32 words in one request. What does a lane assume
  //         that has no tile to read?
  // TODO 3. Which lanes count if lane 5 sees the nearest prefix, and lane 9 another one? Which
  //         empty words must you wait for, and which not? __ballot_sync(mask, condition) gives
  //         every lane one word, with bit l set if lane l's condition holds; __ffs(word) - 1 is the
  //         lowest bit set. __reduce_add_sync(mask, value) adds the values of all lanes.
  // TODO 4. And if no lane sees a prefix?
  return 0;
}

// Writes the exclusive scan of d_in to d_out (num_items). One tile per block; d_ticket (1) and
// d_words (gridDim.x) are 0 at first.
__global__ void look_back_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                 TileWord* d_ticket, TileWord* d_words) {
  // TODO 5. Your 05c, with one warp that looks back. Other tiles wait for this tile's sum. In 05c
  //         each warp scans its items before the sum is published. Which part of that can wait?
  // TODO 6. What do the other warps do meanwhile? What is the first barrier that they wait at?
  // TODO 7. Now make it fast. How many tiles are in flight at once, and how many of them does a
  //         look-back pass? What do larger tiles change, for a long array and for a short one?
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("06_decoupled_look_back: write the kernel and its helpers, then delete this line");

  if (num_items == 0) return;
  // TODO 8. As in 05c. A single tile looks back at no word: what need the host not do for it?
  const int num_tiles = ceil_div(num_items, kItemsPerTile);
  TileWord* d_ticket = scratch.allocate<TileWord>(1 + num_tiles);
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_ticket, d_ticket + 1);
  check_launch();
}

}  // namespace lab
