// SPDX-License-Identifier: MIT
// Sorts each tile of 1024 keys in shared memory: the 32 splits of 01, within one block. A key is
// read from global memory once and written once.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = kSortTileItems;  // one key per thread
constexpr int kKeyBits = 32;

// Sorts tile b in block b.
__global__ void __launch_bounds__(kThreadsPerBlock)
    tile_sort_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out) {
  // TODO 1. Each thread reads one key. The last tile may be short: with which key do you fill it
  //         up, so that it stays after all real keys? What if a real key is the same?
  // TODO 2. Shared memory: the tile, and one count per warp.
  for (int bit = 0; bit < kKeyBits; ++bit) {
    // TODO 3. e is this key's flag. __ballot_sync gathers the 32 flags of the warp in one word, and
    //         __popc counts its ones. How does a lane count the flags of the lanes below it?
    // TODO 4. f = that + the falses of all warps before this one. Which threads scan the 32 counts,
    //         if no further barrier may follow? Use shuffles: __reduce_add_sync needs compute
    //         capability 8.0, and this rung is compiled for 7.5, too.
    // TODO 5. t, d as in 01; the key goes to tile[d], and the thread takes the key at its own
    //         place.
    // TODO 6. Which barriers do you need? For each word of shared memory: which thread writes it,
    //         which reads it, and which overwrites it in the next round?
  }
  // TODO 7. Write the key, if there is one.
}

}  // namespace

void sort_tiles(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_tile_sort: write the kernel, then delete this line");

  // TODO 8. What if there are no keys?
  const int num_tiles = ceil_div(num_items, kSortTileItems);
  tile_sort_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
