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

__device__ void publish(TileWord& word, State state, unsigned value) {
  // TODO 1. One store. What could another block see if state and value were two stores?
}

// Returns the sum of all tiles before `tile`.
__device__ unsigned look_back(TileWord* d_words, int tile) {
  // TODO 2. Make it right with one thread first: move to the left, wait while a word is empty, add
  //         an aggregate and move on, add a prefix and stop. What is before tile 0?
  // TODO 3. Then let a whole warp look at 32 tiles at once. Which of them count if lane 5 sees the
  //         nearest prefix? __ballot_sync, __reduce_add_sync.
  return 0;
}

// Writes the exclusive scan of d_in to d_out (num_items). One tile per block; d_ticket (1) and
// d_words (gridDim.x) are 0 at first.
__global__ void look_back_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                 TileWord* d_ticket, TileWord* d_words) {
  // TODO 4. Which tile is this block's? Not blockIdx.x: suppose that blocks start in another order,
  //         and that only some fit on the device at once. Which block waits for which, for ever?
  // TODO 5. Load the tile (begin with your 05's loads), find its sum, publish it. What may happen
  //         between the sum and its publication, and what should not?
  // TODO 6. Look back, publish the prefix, pass it to the other warps. Meanwhile these scan their
  //         items: by shuffles, without shared memory.
  // TODO 7. Add and store. Now make it fast: uint4 loads and stores, several in flight per thread.
  //         How many tiles are in flight at once, and how many of them does a look-back pass? What
  //         do larger tiles change?
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("06_decoupled_look_back: write the kernel and its helpers, then delete this line");

  if (num_items == 0) return;
  // TODO 8. The words' memory holds garbage, from the call before for example. What sets it to
  //         kEmpty, on `stream`?
  const int num_tiles = ceil_div(num_items, kItemsPerTile);
  TileWord* d_ticket = scratch.allocate<TileWord>(1 + num_tiles);
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_ticket, d_ticket + 1);
  check_launch();
}

}  // namespace lab
