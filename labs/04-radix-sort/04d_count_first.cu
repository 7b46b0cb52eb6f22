// SPDX-License-Identifier: MIT
// 04c with its steps in another order: count, publish, rank, look back, write. The functions that
// do not change are your 04c's.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerThread = 32;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kDigitBits = 8;
constexpr int kNumDigits = 1 << kDigitBits;

struct TileStorage {
  // By warp and digit: how many keys; then where in the sorted tile the next one goes.
  int places[kNumWarps][kNumDigits];
  std::uint32_t keys[kTileItems];  // in order of digits
  int destination[kNumDigits];     // a digit's place in d_out, less its place in the tile
  int tile;
};

// d_begins (kNumDigits): the first place of each digit. `look_back` has a tile per block and a
// column per digit.
__global__ void __launch_bounds__(kThreadsPerBlock)
    count_first_kernel(const std::uint32_t* d_in, int num_items, int pass, const int* d_begins,
                       LookBack<int> look_back, std::uint32_t* d_out) {
  __shared__ TileStorage shared;
  // TODO 1. Load the keys into registers, and count their digits by atomics in shared memory. Why
  //         may this be in any order, and the ranks may not?
  // TODO 2. Publish the counts. What did later tiles wait for in 04c, and what now?
  // TODO 3. Turn the counts in places into first places. 04c did so after the ranking; here it
  //         comes before. Then a key's rank gives its place at once. What need not stay in
  //         registers?
  // TODO 4. places[digit] is the next free place of this warp. Which lane of a digit moves it on,
  //         and what must come before that, and after it?
  // TODO 5. Look back after the ranking. Why is the look-back shorter then?
  // TODO 6. Write the tile. Padding is last in it: where does the loop end?
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("04d_count_first: write the kernel, then delete this line");

  // TODO 7. As in 04c.
}

}  // namespace lab
