// SPDX-License-Identifier: MIT
// One kernel per digit of eight bits: keys are read once and written once in each of four passes.
// New: all digits are counted in one pass in front; the tiles of a pass learn by decoupled
// look-back, one for each digit value, where their keys go; one launch ranks small arrays. Cost: 36
// bytes per key. Source: A. Adinets, D. Merrill, "Onesweep: A Faster Least Significant Digit Radix
// Sort", 2022.
#include <algorithm>
#include <cstdint>
#include <cuda/atomic>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
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
  for (int i = t; i < kNumBins * kReplicas; i += kThreadsToCount) counters[i] = 0;
  __syncthreads();  // the counters are zero

  const int replica = t % kReplicas;
  const auto count = [&](std::uint32_t key) {
    for (int pass = 0; pass < kNumPasses; ++pass) {
      const int bin = pass * kNumDigits + digit_of(key, pass);
      atomicAdd(&counters[bin * kReplicas + replica], 1);
    }
  };
  const uint4* d_vectors = reinterpret_cast<const uint4*>(d_in);  // (num_vectors)
  const int num_vectors = num_items / 4;
  const int first = blockIdx.x * kThreadsToCount + t;
#pragma unroll 4  // loads under way at a time
  for (int i = first; i < num_vectors; i += gridDim.x * kThreadsToCount) {
    const uint4 keys = d_vectors[i];
    count(keys.x);
    count(keys.y);
    count(keys.z);
    count(keys.w);
  }
  if (first < num_items % 4) count(d_in[num_vectors * 4 + first]);
  __syncthreads();  // all have counted

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
    word(tile, digit)
        .store((state << kStateShift | static_cast<std::uint32_t>(count)) ^ flip_,
               cuda::memory_order_relaxed);
  }

  // The keys of this digit in all tiles before `tile`. One thread per digit: neighbouring threads
  // read neighbouring words.
  __device__ int look_back(int tile, int digit) const {
    int sum = 0;
    for (int nearest = tile - 1; nearest >= 0; nearest -= kLookBackWindow) {
      std::uint32_t words[kLookBackWindow];  // all under way before the first is needed
#pragma unroll
      for (int k = 0; k < kLookBackWindow; ++k) words[k] = load(max(nearest - k, 0), digit);
#pragma unroll
      for (int k = 0; k < kLookBackWindow; ++k) {
        while (words[k] >> kStateShift == kEmpty) words[k] = load(nearest - k, digit);
        sum += static_cast<int>(words[k] & kCountMask);
        if (words[k] >> kStateShift == kPrefix) return sum;  // at tile 0 at the latest
      }
    }
    return sum;
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

// Returns the lanes whose key has the same digit as this lane's. All 32 lanes must call. (Bits of
// the key are tested in place, by masks that are the same for all: four instructions per bit.)
__device__ unsigned lanes_with_same_digit(std::uint32_t key, int pass) {
  unsigned same = kFullWarp;
#pragma unroll
  for (int bit = 0; bit < kDigitBits; ++bit) {
    const bool is_set = (key & 1u << (pass * kDigitBits + bit)) != 0;
    const unsigned votes = __ballot_sync(kFullWarp, is_set);
    same &= is_set ? votes : ~votes;
  }
  return same;
}

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
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;
  const unsigned lanes_below = (1u << lane_id) - 1;
  const unsigned lanes_above = ~1u << lane_id;
  int* const places = shared.places[warp_id];  // (kNumDigits)

  // A tile waits for those before it, so they must have started: tickets, not blockIdx.
  if (t == 0) shared.tile = atomicAdd(d_ticket, 1);
  for (int digit = lane_id; digit < kNumDigits; digit += kWarpSize) places[digit] = 0;
  __syncthreads();  // the tile is known, and each warp's counts are zero
  const int tile = shared.tile;
  const int num_valid = min(kTileItems, num_items - tile * kTileItems);

  // A warp takes 32 consecutive keys per round. Padding has the largest digit and is last in the
  // tile: it stays there.
  std::uint32_t keys[kItemsPerThread];
  const int first = warp_id * kWarpSize * kItemsPerThread + lane_id;
  const std::uint32_t* d_first = d_in + tile * kTileItems + first;
  if (num_valid == kTileItems) {
#pragma unroll
    for (int k = 0; k < kItemsPerThread; ++k) keys[k] = d_first[k * kWarpSize];
  } else {
#pragma unroll
    for (int k = 0; k < kItemsPerThread; ++k) {
      keys[k] = first + k * kWarpSize < num_valid ? d_first[k * kWarpSize] : kPadding;
    }
  }
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) atomicAdd(&places[digit_of(keys[k], pass)], 1);
  __syncthreads();  // all warps have counted

  // Successors wait for the counts, so they come first. Ranking the keys takes most of a tile's
  // time; after it, the predecessors' counts are there.
  const TileStates states(d_state_words, pass);
  int count = 0;  // of digit t in the tile
  if (t < kNumDigits) {
#pragma unroll
    for (int warp = 0; warp < kNumWarps; ++warp) count += shared.places[warp][t];
    states.publish(tile, t, tile == 0 ? kPrefix : kAggregate, count);
  }
  const int begin = sum_of_smaller_digits(count, shared.warp_sums);
  if (t < kNumDigits) {
    int place = begin;
#pragma unroll
    for (int warp = 0; warp < kNumWarps; ++warp) {
      const int in_warp = shared.places[warp][t];
      shared.places[warp][t] = place;
      place += in_warp;
    }
  }
  __syncthreads();  // every warp knows where its keys of a digit begin

#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) {
    const int digit = digit_of(keys[k], pass);
    const unsigned same = lanes_with_same_digit(keys[k], pass);
    const int place = places[digit] + __popc(same & lanes_below);
    __syncwarp();  // all have read the places
    if ((same & lanes_above) == 0) places[digit] = place + 1;
    __syncwarp();  // the places are up to date
    shared.keys[place] = keys[k];
  }
  if (t < kNumDigits) {
    const int before = states.look_back(tile, t);
    if (tile > 0) states.publish(tile, t, kPrefix, before + count);
    shared.destination[t] = d_begins[t] + before - begin;
  }
  __syncthreads();  // the tile is in order, and the destinations are known

  const auto write = [&](int i) {
    const std::uint32_t key = shared.keys[i];
    d_out[shared.destination[digit_of(key, pass)] + i] = key;
  };
  if (num_valid == kTileItems) {  // without a test for each key, all are read before one is written
#pragma unroll
    for (int k = 0; k < kItemsPerThread; ++k) write(k * kThreadsPerBlock + t);
  } else {
    for (int i = t; i < num_valid; i += kThreadsPerBlock) write(i);
  }
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
  if (num_items == 0) return;
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
