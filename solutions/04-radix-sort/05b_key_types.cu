// SPDX-License-Identifier: MIT
// 05 for any range of bits, and for signed and float keys.
// New: an order is a pair of functions to and from unsigned keys, so that one kernel sorts them
// all; a pass is a range of bits. Cost: 36 bytes per key, as 05.
// Source: the sign trick for floats: M. Herf, "Radix Tricks", 2001.
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
constexpr int kMaxPasses = 32 / kDigitBits;
constexpr std::uint32_t kPadding = 0xffffffffu;

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
constexpr int kCounterBytes = kMaxPasses * kNumDigits * kReplicas * sizeof(int);

// The ranking kernel, for small arrays: as in 05.
constexpr int kMostRanked = 4992;
constexpr int kThreadsToRank = 1024;

// The bits of one pass: eight, or what is left of the range in the last one.
struct Digit {
  int first_bit;
  int num_bits;
  __device__ int of(std::uint32_t key) const {
    return static_cast<int>(key >> first_bit) & ((1 << num_bits) - 1);
  }
};
__host__ __device__ inline Digit digit_of_pass(int pass, int begin_bit, int end_bit) {
  const int first_bit = begin_bit + pass * kDigitBits;
  const int bits_left = end_bit - first_bit;
  return {first_bit, bits_left < kDigitBits ? bits_left : kDigitBits};
}

// Orders: to() turns a key's bits into an unsigned number that is larger where the key is, from()
// turns them back.
struct UnsignedOrder {
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};
constexpr std::uint32_t kSignBit = 1u << 31;
struct SignedOrder {  // two's complement: the sign bit counts the other way round
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits ^ kSignBit; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key ^ kSignBit; }
};
struct FloatOrder {  // sign and magnitude: of two negative numbers the larger magnitude is smaller
  __device__ static std::uint32_t to(std::uint32_t bits) {
    return bits ^ ((bits & kSignBit) != 0 ? ~0u : kSignBit);
  }
  __device__ static std::uint32_t from(std::uint32_t key) {
    return key ^ ((key & kSignBit) != 0 ? kSignBit : ~0u);
  }
};

// d_counts (num_passes, kNumDigits), zero at first: how many keys have a digit in a pass.
template <class Order>
__global__ void __launch_bounds__(kThreadsToCount)
    count_kernel(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
                 int* d_counts) {
  extern __shared__ int counters[];  // (num_passes * kNumDigits, kReplicas)
  const int num_passes = ceil_div(end_bit - begin_bit, kDigitBits);
  const int num_bins = num_passes * kNumDigits;
  const int t = threadIdx.x;
  for (int i = t; i < num_bins * kReplicas; i += kThreadsToCount) counters[i] = 0;
  __syncthreads();  // the counters are zero

  const int replica = t % kReplicas;
  const auto count = [&](std::uint32_t bits) {
    const std::uint32_t key = Order::to(bits);
#pragma unroll
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      if (pass == num_passes) break;
      const int bin = pass * kNumDigits + digit_of_pass(pass, begin_bit, end_bit).of(key);
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

  for (int bin = t; bin < num_bins; bin += kThreadsToCount) {
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

// Returns the lanes whose key has the same digit as this lane's. All 32 lanes must call.
__device__ unsigned lanes_with_same_digit(std::uint32_t key, Digit digit) {
  unsigned same = kFullWarp;
#pragma unroll
  for (int bit = 0; bit < kDigitBits; ++bit) {
    // A bit outside the digit is 0 for all lanes, which rules out none.
    const std::uint32_t mask = bit < digit.num_bits ? 1u << (digit.first_bit + bit) : 0u;
    const bool is_set = (key & mask) != 0;
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
template <class Order, int kItemsPerThread>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    onesweep_kernel(const std::uint32_t* d_in, int num_items, int pass, Digit digit,
                    const int* d_begins, std::uint32_t* d_state_words, int* d_ticket,
                    std::uint32_t* d_out) {
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
  for (int value = lane_id; value < kNumDigits; value += kWarpSize) places[value] = 0;
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
    for (int k = 0; k < kItemsPerThread; ++k) keys[k] = Order::to(d_first[k * kWarpSize]);
  } else {
#pragma unroll
    for (int k = 0; k < kItemsPerThread; ++k) {
      keys[k] = first + k * kWarpSize < num_valid ? Order::to(d_first[k * kWarpSize]) : kPadding;
    }
  }
#pragma unroll
  for (int k = 0; k < kItemsPerThread; ++k) atomicAdd(&places[digit.of(keys[k])], 1);
  __syncthreads();  // all warps have counted

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
    const int value = digit.of(keys[k]);
    const unsigned same = lanes_with_same_digit(keys[k], digit);
    const int place = places[value] + __popc(same & lanes_below);
    __syncwarp();  // all have read the places
    if ((same & lanes_above) == 0) places[value] = place + 1;
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
    d_out[shared.destination[digit.of(key)] + i] = Order::from(key);
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

// As in 05, by bits begin_bit to end_bit - 1: at least one bit.
template <class Order>
__global__ void __launch_bounds__(kThreadsToRank)
    rank_kernel(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
                std::uint32_t* d_out) {
  alignas(16) __shared__ std::uint32_t keys[kMostRanked];
  __shared__ int places[kWarpSize];
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int num_vectors = ceil_div(num_items, 4);
  for (int i = t; i < num_vectors * 4; i += kThreadsToRank) {
    const std::uint32_t key = i < num_items ? Order::to(d_in[i]) : kPadding;
    keys[i] = key << (32 - end_bit) >> (32 - end_bit + begin_bit);  // without the other bits
  }
  if (t < kWarpSize) places[t] = 0;
  __syncthreads();  // all keys are there, and the places are zero

  const int item = blockIdx.x * kWarpSize + lane_id;
  const std::uint64_t order = order_of(item < num_items ? keys[item] : 0, item);
  int num_before = 0;
#pragma unroll 4
  for (int i = t / kWarpSize * 4; i < num_vectors * 4; i += kThreadsToRank / kWarpSize * 4) {
    const uint4 others = *reinterpret_cast<const uint4*>(&keys[i]);
    num_before += order_of(others.x, i) < order ? 1 : 0;
    num_before += order_of(others.y, i + 1) < order ? 1 : 0;
    num_before += order_of(others.z, i + 2) < order ? 1 : 0;
    num_before += order_of(others.w, i + 3) < order ? 1 : 0;
  }
  atomicAdd(&places[lane_id], num_before);
  __syncthreads();  // all warps have counted
  if (t < kWarpSize && item < num_items) d_out[places[lane_id]] = d_in[item];
}

template <class Order, int kItemsPerThread>
void sort_in_tiles(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
                   std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream) {
  using Storage = TileStorage<kItemsPerThread>;
  const int num_passes = ceil_div(end_bit - begin_bit, kDigitBits);
  if (num_passes == 0) {
    return check(cudaMemcpyAsync(d_out, d_in, num_items * sizeof(std::uint32_t),
                                 cudaMemcpyDeviceToDevice, stream));
  }
  const int num_tiles = ceil_div(num_items, Storage::kTileItems);
  // What begins as zero, in one piece: counts, tickets, states.
  const int num_counts = num_passes * kNumDigits;
  const int num_words = num_counts + num_passes + num_tiles * kNumDigits;
  int* d_counts = scratch.allocate<int>(num_words);
  int* d_tickets = d_counts + num_counts;
  std::uint32_t* d_state_words = reinterpret_cast<std::uint32_t*>(d_tickets + num_passes);
  check(cudaMemsetAsync(d_counts, 0, num_words * sizeof(int), stream));

  const int most_blocks = 2 * num_multiprocessors();
  const int num_blocks = std::clamp(ceil_div(num_items, kItemsToCount), 1, most_blocks);
  // A kernel gets more than 48 KiB of shared memory per block only after this call.
  check(cudaFuncSetAttribute(count_kernel<Order>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kCounterBytes));
  count_kernel<Order><<<num_blocks, kThreadsToCount, kCounterBytes, stream>>>(
      d_in, num_items, begin_bit, end_bit, d_counts);
  check_launch();
  begin_kernel<<<num_passes, kNumDigits, 0, stream>>>(d_counts);
  check_launch();

  const auto kernel = onesweep_kernel<Order, kItemsPerThread>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Storage)));
  // Two arrays take turns; of an odd number of passes the first one writes to the output.
  std::uint32_t* d_to = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other = d_out;
  if (num_passes % 2 == 1) std::swap(d_to, d_other);
  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < num_passes; ++pass) {
    kernel<<<num_tiles, kThreadsPerBlock, sizeof(Storage), stream>>>(
        d_from, num_items, pass, digit_of_pass(pass, begin_bit, end_bit),
        d_counts + pass * kNumDigits, d_state_words, d_tickets + pass, d_to);
    check_launch();
    d_from = d_to;
    std::swap(d_to, d_other);
  }
}

// Sorts by bits [begin_bit, end_bit) of Order::to(bits of a key). The bits of keys of another type:
// reading them as unsigned changes none.
template <class Order, class T>
void sort(const T* d_items_in, int num_items, int begin_bit, int end_bit, T* d_items_out,
          Scratch& scratch, cudaStream_t stream) {
  if (num_items == 0) return;
  const auto* d_in = reinterpret_cast<const std::uint32_t*>(d_items_in);
  auto* d_out = reinterpret_cast<std::uint32_t*>(d_items_out);
  if (num_items <= kMostRanked && begin_bit < end_bit) {
    rank_kernel<Order><<<ceil_div(num_items, kWarpSize), kThreadsToRank, 0, stream>>>(
        d_in, num_items, begin_bit, end_bit, d_out);
    return check_launch();
  }
  const int blocks_at_a_time = kBlocksPerMultiprocessor * num_multiprocessors();
  const bool many = num_items >= blocks_at_a_time * TileStorage<kManyItems>::kTileItems;
  const auto sort_them = many ? sort_in_tiles<Order, kManyItems> : sort_in_tiles<Order, kFewItems>;
  sort_them(d_in, num_items, begin_bit, end_bit, d_out, scratch, stream);
}

}  // namespace

void sort_bits(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
               std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream) {
  sort<UnsignedOrder>(d_in, num_items, begin_bit, end_bit, d_out, scratch, stream);
}

void sort_signed(const std::int32_t* d_in, int num_items, std::int32_t* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  sort<SignedOrder>(d_in, num_items, 0, 32, d_out, scratch, stream);
}

void sort_floats(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  sort<FloatOrder>(d_in, num_items, 0, 32, d_out, scratch, stream);
}

}  // namespace lab
