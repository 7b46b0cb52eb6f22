// SPDX-License-Identifier: MIT
// Merges the sorted tiles of 02, two by two, until one is left: bitonic merges, in place in d_out.
// Long strides in global memory, one launch per step; those within a chunk in shared memory.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = kSortTileItems;  // one key per thread in the tile sort
constexpr int kKeyBits = 32;
constexpr int kChunkItems = 4 * kSortTileItems;  // keys of a block that merges in shared memory
constexpr int kThreadsPerMerge = 256;            // of a block that merges in global memory
constexpr std::uint32_t kPadding = 0xffffffffu;

__global__ void __launch_bounds__(kThreadsPerBlock)
    tile_sort_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out) {
  // TODO 1. Your 02.
}

// Two keys of one step, low < high: the smaller one goes to `low`, in every step.
struct Comparator {
  int low;
  int high;
};

// First step of a merge of two runs of `width` keys: the first key of one run with the last key of
// the other, and so on inwards. `index` counts the comparators of the whole array.
__device__ Comparator mirrored(int index, int width) {
  // TODO 2. Which pair of runs does the comparator belong to, and which of its `width` is it?
  return {0, 0};
}

// The steps after it: keys `stride` apart.
__device__ Comparator strided(int index, int stride) {
  // TODO 3. Comparators 0 to stride - 1 start at keys 0 to stride - 1. Where does the next one?
  return {0, 0};
}

__device__ void compare_exchange(std::uint32_t* keys, Comparator comparator) {
  // TODO 4. Afterwards the smaller key is at comparator.low. If it is there already, write nothing.
}

// One step over d_keys (num_items), one comparator per thread.
__global__ void merge_step_kernel(std::uint32_t* d_keys, int num_items, int distance,
                                  bool is_mirrored) {
  // TODO 5. What about comparators that reach past the end? Imagine keys there that are larger than
  //         all others.
}

// The chunk of this block, in shared memory and back. A thread loads and stores the same words.
__device__ void load_chunk(const std::uint32_t* d_keys, int num_items, std::uint32_t* chunk) {
  const int first_item = blockIdx.x * kChunkItems;
  for (int i = threadIdx.x; i < kChunkItems; i += kThreadsPerBlock) {
    chunk[i] = first_item + i < num_items ? d_keys[first_item + i] : kPadding;
  }
}
__device__ void store_chunk(const std::uint32_t* chunk, std::uint32_t* d_keys, int num_items) {
  const int first_item = blockIdx.x * kChunkItems;
  __syncthreads();  // other threads wrote these words in the last step
  for (int i = threadIdx.x; i < kChunkItems && first_item + i < num_items; i += kThreadsPerBlock) {
    d_keys[first_item + i] = chunk[i];
  }
}

// One step in a chunk in shared memory.
__device__ void step_in_chunk(std::uint32_t* chunk, int distance, bool is_mirrored) {
  // TODO 6. A chunk has more comparators than the block has threads. Which barrier does a step
  // need?
}

// Merges the tiles of each chunk, one block per chunk: the whole of the first merges.
__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_tiles_kernel(std::uint32_t* d_keys, int num_items) {
  __shared__ std::uint32_t chunk[kChunkItems];
  load_chunk(d_keys, num_items, chunk);
  // TODO 7. Which widths do the runs have? Which steps does each merge have?
  store_chunk(chunk, d_keys, num_items);
}

// The last steps of each longer merge: those whose comparators stay within a chunk.
__global__ void __launch_bounds__(kThreadsPerBlock)
    finish_merge_kernel(std::uint32_t* d_keys, int num_items) {
  // TODO 8. The same with fewer steps. From which stride on does a comparator stay in its chunk?
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  todo("03_bitonic_merge: write the kernels and the launches of the merges, then delete this line");

  const int num_tiles = ceil_div(num_items, kSortTileItems);
  tile_sort_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
  const int num_chunks = ceil_div(num_items, kChunkItems);
  merge_tiles_kernel<<<num_chunks, kThreadsPerBlock, 0, stream>>>(d_out, num_items);
  check_launch();
  for (int width = kChunkItems; width < num_items; width *= 2) {
    // TODO 9. One mirrored step over the whole array, strided steps down to the stride that a chunk
    //         can take over, and the rest in chunks. How many comparators has a step, if the length
    //         is not a multiple of 2 * width?
    const int num_blocks = 1;
    merge_step_kernel<<<num_blocks, kThreadsPerMerge, 0, stream>>>(d_out, num_items, width, true);
    check_launch();
    finish_merge_kernel<<<num_chunks, kThreadsPerBlock, 0, stream>>>(d_out, num_items);
    check_launch();
  }
}

}  // namespace lab
