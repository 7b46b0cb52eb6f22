// SPDX-License-Identifier: MIT
// One kernel per digit of eight bits: one pass before them counts all digits, and the tiles of a
// pass learn by decoupled look-back, one for each digit value, where their keys go.
#include <cstdint>
#include <cuda/atomic>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kDigitBits = 8;
constexpr int kNumDigits = 1 << kDigitBits;
constexpr int kNumPasses = 32 / kDigitBits;
constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerThread = 8;  // the solution holds 16: try what is best once all is right
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kThreadsToCount = 512;
constexpr int kKeysToCount = 16;  // per thread

// d_counts (kNumPasses, kNumDigits), zero at first: how many keys have a digit in a place.
__global__ void count_kernel(const std::uint32_t* d_in, int num_items, int* d_counts) {
  // TODO 1. Count all four digits of each key in shared memory; add to d_counts at the end. Several
  //         counters per digit keep lanes apart: in how many banks do 32 lanes end up?
}

// Turns the counts into first places: one block of kNumDigits threads per pass.
__global__ void begin_kernel(int* d_counts) {
  // TODO 2. An exclusive scan of 256 numbers.
}

// What a tile publishes about one digit: the upper 2 bits of a word are a state, the
// others a count.
constexpr std::uint32_t kEmpty = 0;      // nothing yet
constexpr std::uint32_t kAggregate = 1;  // the count is the tile's own
constexpr std::uint32_t kPrefix = 2;     // ... that of all tiles up to this one
constexpr int kStateShift = 30;

// Words that other blocks write while this one reads.
using AtomicWord = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

// Returns how many keys of `digit` the tiles before `tile` have. d_states (tiles, kNumDigits).
__device__ int look_back(std::uint32_t* d_states, int tile, int digit) {
  // TODO 3. From tile - 1 down: add up counts until a word is a prefix. What if a word is empty?
  //         AtomicWord(d_states[...]).load(cuda::memory_order_relaxed) reads it. Why is relaxed
  //         enough here, and why not if state and count were two words?
  return 0;
}

// d_begins (kNumDigits): the first place of each digit. d_ticket: 0 at first.
__global__ void __launch_bounds__(kThreadsPerBlock)
    onesweep_kernel(const std::uint32_t* d_in, int num_items, int pass, const int* d_begins,
                    std::uint32_t* d_states, int* d_ticket, std::uint32_t* d_out) {
  // TODO 4. Which tile is this block's? A tile waits for those before it: nothing promises that
  //         block 0 starts first. Draw a ticket.
  // TODO 5. Rank the keys as in 04, with 8 ballots and 256 counts per warp.
  // TODO 6. Thread t < kNumDigits: add the warps' counts of digit t and publish them at once.
  //         The first tile has nothing before it: what does it publish?
  // TODO 7. Look back, publish the prefix, and only then move the keys within the tile. Which
  //         barriers do you need?
  // TODO 8. Write the tile out as in 04.
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("05_onesweep: write the kernels, then delete this line");

  // TODO 9. Counts, tickets and states must be zero at first. Do four passes need four sets of
  //         states? When may a pass use the words of the pass before it?
  const int num_tiles = ceil_div(num_items, kTileItems);
  const int num_states = num_tiles * kNumDigits;
  std::uint32_t* d_to = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other = d_out;
  int* d_counts = scratch.allocate<int>(kNumPasses * kNumDigits);
  int* d_tickets = scratch.allocate<int>(kNumPasses);
  std::uint32_t* d_states = scratch.allocate<std::uint32_t>(num_states);

  const int num_blocks = ceil_div(num_items, kThreadsToCount * kKeysToCount);
  count_kernel<<<num_blocks, kThreadsToCount, 0, stream>>>(d_in, num_items, d_counts);
  check_launch();
  begin_kernel<<<kNumPasses, kNumDigits, 0, stream>>>(d_counts);
  check_launch();
  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < kNumPasses; ++pass) {
    onesweep_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
        d_from, num_items, pass, d_counts + pass * kNumDigits, d_states, d_tickets + pass, d_to);
    check_launch();
    d_from = d_to;
    std::swap(d_to, d_other);
  }
}

}  // namespace lab
