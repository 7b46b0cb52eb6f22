// SPDX-License-Identifier: MIT
// One launch: a tile is scanned as in 05, but what lies before it comes from words in device memory
// that its predecessors publish while they run. So every item is read once and written once.
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

// What a tile publishes, state above and value below, in one word that is read and written
// as a whole: AtomicWord(word).load(cuda::memory_order_relaxed), .store(value, ...).
using TileWord = unsigned long long;
enum State : unsigned { kEmpty, kAggregate, kPrefix };  // nothing yet; the tile's sum; all up to it

using AtomicWord = cuda::atomic_ref<TileWord, cuda::thread_scope_device>;

__device__ void publish(TileWord& word, State state, unsigned value) {
  // TODO 1. One store. What could another block see if state and value were two stores?
}

// Returns the sum of all tiles before `tile`. Called by one thread.
__device__ unsigned look_back(TileWord* d_words, int tile) {
  // TODO 2. Begin with the tile to the left. What do you do about each of the three states? Which
  //         of them ends the walk, and what ends it for tile 0?
  return 0;
}

// Writes the exclusive scan of d_in to d_out (num_items). One tile per block; d_ticket (1) and
// d_words (gridDim.x) are 0 at first.
__global__ void look_back_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                 TileWord* d_ticket, TileWord* d_words) {
  // TODO 3. Which tile is this block's? Not blockIdx.x: suppose that blocks start in another order,
  //         and that only some fit on the device at once. Which block waits for which, for ever?
  // TODO 4. Your 05's up-sweep, on that tile. Thread 0 then has the tile's sum: publish it. Why
  //         must this come before the look-back, and not after it?
  // TODO 5. Look back, and publish the prefix. Then only the down-sweep is missing. With 0 in the
  //         root it gives every item the sum of the items before it in the tile. With which root
  //         does it give the sum of all items before it?
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("05b_one_thread_look_back: write the kernel and its helpers, then delete this line");

  if (num_items == 0) return;
  // TODO 6. The words' memory holds garbage, from the call before for example. What sets it to
  //         kEmpty, on `stream`?
  const int num_tiles = ceil_div(num_items, kItemsPerBlock);
  TileWord* d_ticket = scratch.allocate<TileWord>(1 + num_tiles);
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_ticket, d_ticket + 1);
  check_launch();
}

}  // namespace lab
