// SPDX-License-Identifier: MIT
// 05 for any range of bits, and for signed and float keys. What TODO 6 lists is your 05's. The host
// is given.
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

// The ranking kernel, for small arrays.
constexpr int kMostRanked = 4992;
constexpr int kThreadsToRank = 1024;

// The bits of one pass: eight, or what is left of the range in the last one.
struct Digit {
  int first_bit;
  int num_bits;
  __device__ int of(std::uint32_t key) const {
    // TODO 1. In 05 these were a byte of the key. Which shift, which mask?
    return 0;
  }
};
__host__ __device__ inline Digit digit_of_pass(int pass, int begin_bit, int end_bit) {
  // TODO 2. Eight bits, from begin_bit up. And the last pass?
  return {begin_bit, 0};
}

// Orders: to() turns a key's bits into an unsigned number that is larger where the key is, from()
// turns them back.
struct UnsignedOrder {
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};
struct SignedOrder {
  // TODO 3. -1 is 0xffffffff and must come before 0. Which bit is the problem?
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};
struct FloatOrder {
  // TODO 4. Write down the bits of 1.0f, 2.0f, -1.0f, -2.0f in the order of their values. What must
  //         happen to the positive ones, and what to the negative ones? See radix_sort.cuh on
  //         -0 and NaN: do they need anything special?
  __device__ static std::uint32_t to(std::uint32_t bits) { return bits; }
  __device__ static std::uint32_t from(std::uint32_t key) { return key; }
};

// d_counts (num_passes, kNumDigits), zero at first: how many keys have a digit in a pass.
template <class Order>
__global__ void __launch_bounds__(kThreadsToCount)
    count_kernel(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
                 int* d_counts) {
  extern __shared__ int counters[];  // (num_passes * kNumDigits, kReplicas)
  // TODO 5. Your 05's. Which keys does it count now, as they are or turned? How many passes?
}

// Turns counts into first places, pass by pass: one block of kNumDigits threads per pass.
__global__ void begin_kernel(int* d_counts) {
  // TODO 6. Your 05's, as are the sums that it calls, and the words to look back over.
}

// Returns the lanes whose key has the same digit as this lane's. All 32 lanes must call.
__device__ unsigned lanes_with_same_digit(std::uint32_t key, Digit digit) {
  // TODO 7. Eight ballots, whatever the digit: then the loop unrolls. How do you make one that
  //         rules out no lane, for the bits that a short digit lacks?
  return 0;
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
  // TODO 8. Your 05's. Where is a key read, and where is it written? Put to() and from() there.
  //         Padding must be the largest number of all: is it turned, too?
}

// As in 05, by bits begin_bit to end_bit - 1: at least one bit.
template <class Order>
__global__ void __launch_bounds__(kThreadsToRank)
    rank_kernel(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
                std::uint32_t* d_out) {
  // TODO 9. It compares whole numbers. What must happen to the bits that do not count?
}

template <class Order, int kItemsPerThread>
void sort_in_tiles(const std::uint32_t* d_in, int num_items, int begin_bit, int end_bit,
                   std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream) {
  using Storage = TileStorage<kItemsPerThread>;
  const int num_passes = ceil_div(end_bit - begin_bit, kDigitBits);
  // TODO 10. What is in d_out if there are no passes?
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
  std::uint32_t* d_to = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other = d_out;
  // TODO 11. The last pass must write to the output. What if their number is odd?
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
  todo("05b_key_types: write the orders, the digits and the kernels, then delete this line");

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
