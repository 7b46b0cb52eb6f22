// SPDX-License-Identifier: MIT
// style: a look-back that publishes by atomicMax, which reads its word, too
// One launch: a tile is scanned as in 05, but what lies before it comes from words in device memory
// that its predecessors publish while they run. So every item is read once and written once.
// New: blocks wait for each other, in an order that cannot lock up. Limit: one thread looks back,
// and each of its loads waits for the one before. (D. Merrill and M. Garland, 2016.)
#include <cuda/atomic>

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

// What a tile publishes, state above and value below: one 64-bit store publishes both, so a tile
// that sees the state sees its value, without a fence. The words begin as 0, which is kEmpty.
using TileWord = unsigned long long;
enum State : unsigned { kEmpty, kAggregate, kPrefix };  // nothing yet; the tile's sum; all up to it

using AtomicWord = cuda::atomic_ref<TileWord, cuda::thread_scope_device>;

__device__ void publish(TileWord& word, State state, unsigned value) {
  atomicMax(&word, TileWord{state} << 32 | value);
}

// Returns the sum of all tiles before `tile`. Called by one thread.
__device__ unsigned look_back(TileWord* d_words, int tile) {
  unsigned sum = 0;
  for (int predecessor = tile - 1; predecessor >= 0;) {
    const TileWord word = AtomicWord(d_words[predecessor]).load(cuda::memory_order_relaxed);
    const auto state = static_cast<unsigned>(word >> 32);
    if (state == kEmpty) continue;  // it has yet to speak
    sum += static_cast<unsigned>(word);
    if (state == kPrefix) break;
    --predecessor;
  }
  return sum;
}

// Writes the exclusive scan of d_in to d_out (num_items). One tile per block; d_ticket (1) and
// d_words (gridDim.x) are 0 at first.
__global__ void look_back_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                                 TileWord* d_ticket, TileWord* d_words) {
  __shared__ unsigned tile[kWordsPerTile];
  __shared__ int ticket;
  const int t = threadIdx.x;

  // Tiles are drawn, not given by blockIdx: nothing promises that blocks start in order, and a
  // block may only wait for tiles that running blocks hold.
  if (t == 0) ticket = static_cast<int>(atomicAdd(d_ticket, 1));
  __syncthreads();  // ticket is set
  const int tile_id = ticket;
  const int begin = tile_id * kItemsPerBlock;
  const int num_tile_items = num_items - begin;  // may be more than a tile

  for (int i = t; i < kItemsPerBlock; i += kThreadsPerBlock) {
    tile[padded(i)] = i < num_tile_items ? d_in[begin + i] : 0;
  }

  for (int stride = 1; stride < kItemsPerBlock; stride *= 2) {
    __syncthreads();  // both children were written by other threads, in the step before
    const int right = (t + 1) * 2 * stride - 1;
    if (right < kItemsPerBlock) tile[padded(right)] += tile[padded(right - stride)];
  }

  if (t == 0) {  // wrote the root in the last step
    const unsigned aggregate = tile[padded(kItemsPerBlock - 1)];
    publish(d_words[tile_id], kAggregate,
            aggregate);  // before the wait, so that waits form no chain
    const unsigned sum_before = look_back(d_words, tile_id);
    publish(d_words[tile_id], kPrefix, sum_before + aggregate);
    tile[padded(kItemsPerBlock - 1)] = sum_before;  // not 0: the way down adds it to every item
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

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kItemsPerBlock);
  TileWord* d_ticket = scratch.allocate<TileWord>(1 + num_tiles);  // (1), then one word per tile
  check(cudaMemsetAsync(d_ticket, 0, (1 + num_tiles) * sizeof(TileWord), stream));
  look_back_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, as_unsigned(d_out), d_ticket, d_ticket + 1);
  check_launch();
}

}  // namespace lab
