// SPDX-License-Identifier: MIT
// 04d with words of its own to look back over, larger tiles, and a counting kernel at the memory's
// speed. Your 04d's ranking needs no change. The sum over digits and one launch that ranks small
// arrays are given.
#include <algorithm>
#include <cstdint>
#include <cuda/atomic>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kDigitBits = 8;
constexpr int kNumDigits = 1 << kDigitBits;
constexpr int kNumPasses = 32 / kDigitBits;
constexpr std::uint32_t kPadding = 0xffffffffu;
static_assert(kNumPasses % 2 == 0, "the last pass writes to d_out");

// To tune for a device: the tile of a block, and how many predecessors a look-back reads at a time.
constexpr int kThreadsPerBlock = 256;
constexpr int kManyItems = 48;  // per thread: the more, the longer the runs that are written out
constexpr int kFewItems = 24;   // per thread, where larger tiles would leave multiprocessors idle
constexpr int kBlocksPerMultiprocessor = 2;
constexpr int kLookBackWindow = 4;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
static_assert(kThreadsPerBlock >= kNumDigits, "one thread per digit");

// The counting kernel.
constexpr int kThreadsToCount = 512;
constexpr int kItemsToCount = 16384;  // at least per block, or the device is not full
constexpr int kReplicas = 16;         // counters per digit: two lanes share one, in other banks
constexpr int kCounterBytes = kNumPasses * kNumDigits * kReplicas * sizeof(int);

// The ranking kernel, for small arrays.
constexpr int kMostRanked = 4992;  // keys; ranking is faster up to about three times as many
constexpr int kThreadsToRank = 1024;

// Byte `pass` of the key; one instruction, where a shift and a mask are two.
__device__ int digit_of(std::uint32_t key, int pass) {
  static_assert(kDigitBits == 8);
  return static_cast<int>(__byte_perm(key, 0, 0x4440 | pass));
}

// d_counts (kNumPasses, kNumDigits), zero at first: how many keys have a digit in a pass.
__global__ void __launch_bounds__(kThreadsToCount)
    count_kernel(const std::uint32_t* d_in, int num_items, int* d_counts) {
  extern __shared__ int counters[];  // (kNumPasses * kNumDigits, kReplicas)
  constexpr int kNumBins = kNumPasses * kNumDigits;
  const int t = threadIdx.x;
  // TODO 1. 04c's counters are one per digit: what happens if all keys are the same? Here lane l
  //         counts in replica l % kReplicas. In how many banks do 32 lanes end up?
  // TODO 2. Load uint4. Where do the last keys go, if their number is not a multiple of 4?

  for (int bin = t; bin < kNumBins; bin += kThreadsToCount) {
    int total = 0;
    for (int k = 0; k < kReplicas; ++k) {  // each lane begins with another bank
      total += counters[bin * kReplicas + (k + t) % kReplicas];
    }
    if (total > 0) atomicAdd(&d_counts[bin], total);
  }
}

// Returns the sum of `value` over lanes 0 to this one. All 32 lanes must call.
__device__ int warp_inclusive_sum(int value) {
  const int lane_id = threadIdx.x % kWarpSize;
#pragma unroll
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const int below = __shfl_up_sync(kFullWarp, value, offset);
    if (lane_id >= offset) value += below;
  }
  return value;
}

// The sum of `count` over all smaller digits, in threads 0 to kNumDigits - 1, which hold one digit
// each. All threads of the block must call. warp_sums (kNumDigits / kWarpSize) is shared.
__device__ int sum_of_smaller_digits(int count, int* warp_sums) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const bool has_digit = threadIdx.x < kNumDigits;
  const int inclusive = warp_inclusive_sum(count);
  if (has_digit && lane_id == kWarpSize - 1) warp_sums[warp_id] = inclusive;
  __syncthreads();  // the sums of all warps are there
  int sum = inclusive - count;
  if (has_digit) {
    for (int warp = 0; warp < warp_id; ++warp) sum += warp_sums[warp];
  }
  return sum;
}

// Turns counts into first places, pass by pass: one block of kNumDigits threads per pass.
__global__ void begin_kernel(int* d_counts) {
  __shared__ int warp_sums[kNumDigits / kWarpSize];
  int* const d_count = &d_counts[blockIdx.x * kNumDigits + threadIdx.x];
  *d_count = sum_of_smaller_digits(*d_count, warp_sums);
}

// What a tile publishes about one digit, in one word, so that the two never disagree:
// the upper 2 bits are a State, the others a count. A pass ends with all words at kPrefix. The next
// one flips the upper bit of all states, and so reads those as kEmpty: no kernel has to clear them.
enum State : std::uint32_t { kEmpty = 0, kAggregate = 1, kPrefix = 2 };
constexpr int kStateShift = 30;
constexpr std::uint32_t kCountMask = (1u << kStateShift) - 1;

class TileStates {
 public:
  __device__ TileStates(std::uint32_t* d_words, int pass)
      : d_words_(d_words), flip_(pass % 2 == 0 ? 0u : 2u << kStateShift) {}

  __device__ void publish(int tile, int digit, State state, int count) const {
    // TODO 3. One store of one word, flipped. Why is a relaxed store enough, and why would it not
    //         be if state and count were two words?
  }

  // The keys of this digit in all tiles before `tile`. One thread per digit: neighbouring threads
  // read neighbouring words.
  __device__ int look_back(int tile, int digit) const {
    // TODO 4. From tile - 1 down: add up counts until a word is a prefix. What if a word is empty?
    //         Each load takes about a microsecond, so have kLookBackWindow of them under way.
    return 0;
  }

 private:
  using Word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;
  __device__ Word word(int tile, int digit) const {
    return Word(d_words_[tile * kNumDigits + digit]);
  }
  __device__ std::uint32_t load(int tile, int digit) const {
    return word(tile, digit).load(cuda::memory_order_relaxed) ^ flip_;
  }

  std::uint32_t* d_words_;  // (tiles, kNumDigits)
  std::uint32_t flip_;
};

template <int kItemsPerThread>
struct TileStorage {
  static constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
  // By warp and digit: how many keys; then where in the sorted tile the next one goes.
  int places[kNumWarps][kNumDigits];
  std::uint32_t keys[kTileItems];  // in order of digits
  int destination[kNumDigits];     // a digit's place in d_out, less its place in the tile
  int warp_sums[kNumDigits / kWarpSize];
  int tile;
};

// d_begins (kNumDigits): the first place of each digit. d_ticket: 0 at first.
template <int kItemsPerThread>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    onesweep_kernel(const std::uint32_t* d_in, int num_items, int pass, const int* d_begins,
                    std::uint32_t* d_state_words, int* d_ticket, std::uint32_t* d_out) {
  using Storage = TileStorage<kItemsPerThread>;
  constexpr int kTileItems = Storage::kTileItems;
  extern __shared__ int storage[];  // one Storage
  Storage& shared = *reinterpret_cast<Storage*>(storage);
  // TODO 5. Your 04d's kernel, with TileStates in place of LookBack. The first tile has nothing
  //         before it: what does it publish?
  // TODO 6. A full tile needs no test for each key. Give it its own loops, to load and to write.
  //         Why does the last of them read all keys before it writes one?
}

// Smaller for the key that goes first. The index, `item`, decides between equal keys.
__device__ std::uint64_t order_of(std::uint32_t key, int item) {
  return std::uint64_t{key} << 32 | static_cast<std::uint32_t>(item);
}

// A key's place is the number of keys that go before it. Each block ranks 32 keys, one per lane.
// Its warps share the keys to compare with. No block waits for another, so one launch is enough.
__global__ void __launch_bounds__(kThreadsToRank)
    rank_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out) {
  alignas(16) __shared__ std::uint32_t keys[kMostRanked];  // all of them, in vectors of four
  __shared__ int places[kWarpSize];
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int num_vectors = ceil_div(num_items, 4);
  for (int i = t; i < num_vectors * 4; i += kThreadsToRank) {
    keys[i] = i < num_items ? d_in[i] : kPadding;  // its index is above all others
  }
  if (t < kWarpSize) places[t] = 0;
  __syncthreads();  // all keys are there, and the places are zero

  const int item = blockIdx.x * kWarpSize + lane_id;
  const std::uint32_t key = item < num_items ? keys[item] : 0;
  const std::uint64_t order = order_of(key, item);
  int num_before = 0;
#pragma unroll 4
  for (int i = t / kWarpSize * 4; i < num_vectors * 4; i += kThreadsToRank / kWarpSize * 4) {
    const uint4 others = *reinterpret_cast<const uint4*>(&keys[i]);  // one read for all lanes
    num_before += order_of(others.x, i) < order ? 1 : 0;
    num_before += order_of(others.y, i + 1) < order ? 1 : 0;
    num_before += order_of(others.z, i + 2) < order ? 1 : 0;
    num_before += order_of(others.w, i + 3) < order ? 1 : 0;
  }
  atomicAdd(&places[lane_id], num_before);
  __syncthreads();  // all warps have counted
  if (t < kWarpSize && item < num_items) d_out[places[lane_id]] = key;
}

template <int kItemsPerThread>
void sort_in_tiles(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                   cudaStream_t stream) {
  using Storage = TileStorage<kItemsPerThread>;
  // TODO 7. Four passes share one set of words. Which pass clears them for the next one?
  const int num_tiles = ceil_div(num_items, Storage::kTileItems);
  std::uint32_t* d_to = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other = d_out;
  // What begins as zero, in one piece: counts, tickets, states.
  constexpr int kNumCounts = kNumPasses * kNumDigits;
  const int num_words = kNumCounts + kNumPasses + num_tiles * kNumDigits;
  int* d_counts = scratch.allocate<int>(num_words);
  int* d_tickets = d_counts + kNumCounts;
  std::uint32_t* d_state_words = reinterpret_cast<std::uint32_t*>(d_tickets + kNumPasses);
  check(cudaMemsetAsync(d_counts, 0, num_words * sizeof(int), stream));

  // A kernel gets more than 48 KiB of shared memory per block only after this call.
  check(cudaFuncSetAttribute(count_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kCounterBytes));
  const auto kernel = onesweep_kernel<kItemsPerThread>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Storage)));
  const int most_blocks = 2 * num_multiprocessors();
  const int num_blocks = std::clamp(ceil_div(num_items, kItemsToCount), 1, most_blocks);
  count_kernel<<<num_blocks, kThreadsToCount, kCounterBytes, stream>>>(d_in, num_items, d_counts);
  check_launch();
  begin_kernel<<<kNumPasses, kNumDigits, 0, stream>>>(d_counts);
  check_launch();

  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < kNumPasses; ++pass) {
    kernel<<<num_tiles, kThreadsPerBlock, sizeof(Storage), stream>>>(
        d_from, num_items, pass, d_counts + pass * kNumDigits, d_state_words, d_tickets + pass,
        d_to);
    check_launch();
    d_from = d_to;
    std::swap(d_to, d_other);
  }
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("05_onesweep: write the kernels, then delete this line");

  if (num_items == 0) return;
  // TODO 8. Which is faster for 1000 keys: 10^6 comparisons, or six launches? And for 10^5 keys?
  if (num_items <= kMostRanked) {  // the launches of the passes would take most of the time
    rank_kernel<<<ceil_div(num_items, kWarpSize), kThreadsToRank, 0, stream>>>(d_in, num_items,
                                                                               d_out);
    return check_launch();
  }
  const int blocks_at_a_time = kBlocksPerMultiprocessor * num_multiprocessors();
  if (num_items >= blocks_at_a_time * TileStorage<kManyItems>::kTileItems) {
    sort_in_tiles<kManyItems>(d_in, num_items, d_out, scratch, stream);
  } else {
    sort_in_tiles<kFewItems>(d_in, num_items, d_out, scratch, stream);
  }
}

}  // namespace lab
