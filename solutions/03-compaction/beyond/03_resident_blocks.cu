// SPDX-License-Identifier: MIT
// Beyond the ladder: rung 03 without look-back. As many blocks as run at a time stay until the end
// and take the tiles in rounds: in round r, block b compacts tile r * gridDim.x + b.
// New: a block writes a tile one round after it counted it, so it rarely waits for other blocks'
// counts; meanwhile it copies its next tile (cp.async). Rounds are numbered over all calls, so no
// call has to clear what the last one left behind. Cost: a cooperative launch, and most of the
// shared memory. Limit: the memory. The scan in 02-scan/beyond works the same way.
#include <cuda_pipeline.h>

#include <algorithm>
#include <cuda/atomic>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kMostThreads = 1024;           // a block: a lane reads what one warp has counted
constexpr int kItemsPerRow = kWarpSize * 4;  // one 16-byte load per lane
constexpr int kItemsPerLine = 32;            // of 128 bytes

// A block's threads, and how many vectors of a tile each of them has: 4 at most, see put_in_order.
template <int kNumThreads, int kNumVectors>
struct Tile {
  static constexpr int kThreads = kNumThreads;
  static constexpr int kVectors = kNumVectors;
  static constexpr int kWarps = kThreads / kWarpSize;
  static constexpr int kItems = kThreads * kVectors * 4;
  // The tile that is copied, and two tiles' kept items: one that is filled, one that is written.
  static constexpr int kSharedBytes = 3 * kItems * static_cast<int>(sizeof(int));
};
using LargeTile = Tile<1024, 4>;
using MediumTile = Tile<512, 4>;
using SmallTile = Tile<512, 1>;

// The number of a round above, what a block keeps of its tile of that round below: one 64-bit store
// publishes both.
using CountWord = unsigned long long;
using AtomicWord = cuda::atomic_ref<CountWord, cuda::thread_scope_device>;

__device__ CountWord count_word(unsigned round_number, int count) {
  return CountWord{round_number} << 32 | static_cast<unsigned>(count);
}
__device__ CountWord load(CountWord& word) {
  return AtomicWord(word).load(cuda::memory_order_relaxed);
}

// By round, in turn, and block. Two of each are enough: a block that publishes has read the counts
// of the round before, so every block has published those, and has read the counts of the round
// before them. Numbers repeat after 2^32 rounds, which take hours.
__device__ CountWord block_counts[2][kMostThreads];
// The number of this call's first round above, less 1; the blocks that have asked for it below.
__device__ unsigned long long rounds_and_blocks;

// Returns the number of the call's first round. Called by one thread of each block. The last one
// moves on to the next call, which begins when this one has ended.
__device__ unsigned ask_first_round(int num_rounds) {
  const unsigned long long asked = atomicAdd(&rounds_and_blocks, 1);
  const auto rounds_before = static_cast<unsigned>(asked >> 32);
  if (static_cast<unsigned>(asked) == gridDim.x - 1) {
    atomicExch(&rounds_and_blocks, static_cast<unsigned long long>(rounds_before + num_rounds)
                                       << 32);
  }
  return rounds_before + 1;  // not 0, with which all words begin
}

// One count per warp; every warp reads them all.
template <class Tile>
struct WarpCounts {
  int of_tile[Tile::kWarps];          // of this round
  int of_tiles_before[Tile::kWarps];  // of the round before, in blocks before this one
  int of_round[Tile::kWarps];         // of the round before, in all blocks
};

// Returns the sum of the first `num_warps` counts, in every lane. All 32 lanes must call.
template <int kWarps>
__device__ int sum_of_warps(const int (&counts)[kWarps], int num_warps = kWarps) {
  const int lane_id = threadIdx.x % kWarpSize;
  return __reduce_add_sync(kFullWarp, lane_id < num_warps ? counts[lane_id] : 0);
}

// Starts copying this thread's vectors of a tile, with zeros past the end. The thread that copies a
// vector also reads it, so no barrier is needed in between.
template <class Tile>
__device__ void start_copy(const int* d_in, unsigned num_items, unsigned begin, int4* mine) {
#pragma unroll
  for (int k = 0; k < Tile::kVectors; ++k) {
    const unsigned i = begin + k * kItemsPerRow;  // up to a tile above 2^31
    const unsigned num_left = i < num_items ? num_items - i : 0;
    const unsigned num_bytes = num_left < 4 ? num_left * 4 : 16;
    const int* d_vector = num_bytes > 0 ? d_in + i : d_in;
    __pipeline_memcpy_async(&mine[k * Tile::kThreads], d_vector, 16, 16 - num_bytes);
  }
}

// Which of this thread's items of a tile are kept: bit i of the result, item i. num_left: the items
// from the thread's first one to the end of the array; or below 0.
template <int kVectors>
__device__ unsigned kept_bits(const int (&items)[4 * kVectors], Predicate keep, int num_left) {
  unsigned kept = 0;
#pragma unroll
  for (int i = 0; i < 4 * kVectors; ++i) kept |= (keep(items[i]) ? 1u : 0u) << i;
  if (num_left < kVectors * kItemsPerRow) {  // the last tile of all
#pragma unroll
    for (int i = 0; i < 4 * kVectors; ++i) {
      if (i / 4 * kItemsPerRow + i % 4 >= num_left) kept &= ~(1u << i);
    }
  }
  return kept;
}

// Puts the warp's kept items where `place` points, in their order: row, lane, item. One scan ranks
// all rows: byte k counts row k, which has at most 128 items.
template <int kVectors>
__device__ void put_in_order(const int (&items)[4 * kVectors], unsigned kept, int* place) {
  static_assert(kVectors <= 4, "a byte of one word counts each row");
  unsigned own = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    own |= static_cast<unsigned>(__popc(kept >> 4 * k & 0xfu)) << 8 * k;
  }
  unsigned inclusive = own;
#pragma unroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const unsigned below = __shfl_up_sync(kFullWarp, inclusive, distance);
    if (static_cast<int>(threadIdx.x % kWarpSize) >= distance) inclusive += below;
  }
  const unsigned before = inclusive - own;
  const unsigned all = __shfl_sync(kFullWarp, inclusive, kWarpSize - 1);
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    int* next = place + (before >> 8 * k & 0xffu);
#pragma unroll
    for (int i = 4 * k; i < 4 * k + 4; ++i) {
      if (kept >> i & 1u) *next++ = items[i];
    }
    place += all >> 8 * k & 0xffu;
  }
}

// All blocks must be resident: they wait for each other.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    resident_blocks_kernel(const int* d_in, int num_items, Predicate keep, int* d_out,
                           int* d_count) {
  constexpr int kVectors = Tile::kVectors;
  // (3, kVectors, kThreads): where tiles are copied to, then the kept items. If it began at any
  // multiple of 16 bytes, each copy would cross a border between lines of 128: 14% slower.
  alignas(128) extern __shared__ int4 storage[];
  int* const kept_items = reinterpret_cast<int*>(&storage[kVectors * Tile::kThreads]);
  // Two, in turn: warps may write those of one round while others still read those before.
  __shared__ WarpCounts<Tile> warp_counts[2];
  __shared__ unsigned first_round;  // its number
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;
  const int num_blocks = gridDim.x;
  const int num_tiles = ceil_div(num_items, Tile::kItems);
  const int num_rounds = ceil_div(num_tiles, num_blocks);
  const auto tile_of = [&](int round) { return round * num_blocks + static_cast<int>(blockIdx.x); };
  const auto my_first_item = [&](int tile) {
    return static_cast<unsigned>(tile) * Tile::kItems + warp_id * kVectors * kItemsPerRow +
           lane_id * 4;
  };
  const auto start_round = [&](int round) {
    const int tile = tile_of(round);
    if (tile < num_tiles) start_copy<Tile>(d_in, num_items, my_first_item(tile), &storage[t]);
    __pipeline_commit();
  };
  start_round(0);
  if (t == 0) first_round = ask_first_round(num_rounds);  // the others read it after a barrier

  int last_count = 0;          // kept of this block's tile of the last round
  int count_before_round = 0;  // kept of all tiles of the rounds before it
  for (int round = 0; round <= num_rounds; ++round) {
    WarpCounts<Tile>& counts = warp_counts[round % 2];
    const bool has_tile = tile_of(round) < num_tiles;  // false after the last round
    // The count of block t's tile, published a round ago. The load is under way while this thread
    // counts, and rarely has to be repeated.
    const bool reads_other =
        round > 0 && t < num_blocks && (round - 1) * num_blocks + t < num_tiles;
    CountWord& others_word = block_counts[(round + 1) % 2][t];
    CountWord other = reads_other ? load(others_word) : 0;

    int items[4 * kVectors];
    unsigned kept = 0;
    if (has_tile) {
      __pipeline_wait_prior(0);  // this thread's vectors of this round are there
#pragma unroll
      for (int k = 0; k < kVectors; ++k) {
        const int4 vector = storage[k * Tile::kThreads + t];
        items[4 * k] = vector.x;
        items[4 * k + 1] = vector.y;
        items[4 * k + 2] = vector.z;
        items[4 * k + 3] = vector.w;
      }
      const unsigned first = my_first_item(tile_of(round));
      kept = kept_bits<kVectors>(items, keep, static_cast<int>(num_items - first));
    }
    start_round(round + 1);  // to where this thread has just read
    const int warp_count = __reduce_add_sync(kFullWarp, __popc(kept));
    while (reads_other && static_cast<unsigned>(other >> 32) != first_round + round - 1) {
      other = load(others_word);
    }
    __syncwarp();
    const int others_count = static_cast<int>(other);
    const bool is_before = t < static_cast<int>(blockIdx.x);
    const int before = __reduce_add_sync(kFullWarp, is_before ? others_count : 0);
    const int all = __reduce_add_sync(kFullWarp, others_count);
    if (lane_id == 0) {
      counts.of_tile[warp_id] = warp_count;
      counts.of_tiles_before[warp_id] = before;
      counts.of_round[warp_id] = all;
    }
    __syncthreads();  // all warps have counted, and the kept items of the last round are in order
    const int tile_count = sum_of_warps(counts.of_tile);
    if (has_tile && t == 0) {
      AtomicWord(block_counts[round % 2][blockIdx.x])
          .store(count_word(first_round + round, tile_count), cuda::memory_order_relaxed);
    }

    // A warp's 32 stores begin where a line of d_out begins: it touches one line, never two.
    const int offset = count_before_round + sum_of_warps(counts.of_tiles_before);
    const int* last_kept = &kept_items[(round + 1) % 2 * Tile::kItems];
    for (int i = t - offset % kItemsPerLine; i < last_count; i += Tile::kThreads) {
      if (i >= 0) __stcs(&d_out[offset + i], last_kept[i]);
    }
    count_before_round += sum_of_warps(counts.of_round);
    if (has_tile) {
      int* const tile_begin = &kept_items[round % 2 * Tile::kItems];
      put_in_order<kVectors>(items, kept, tile_begin + sum_of_warps(counts.of_tile, warp_id));
    }
    last_count = tile_count;
  }
  if (blockIdx.x == 0 && t == 0) d_count[0] = count_before_round;
}

template <class Tile>
void compact_by_resident_blocks(const int* d_in, int num_items, Predicate keep, int* d_out,
                                int* d_count, cudaStream_t stream) {
  const auto kernel = resident_blocks_kernel<Tile>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             Tile::kSharedBytes));
  // One block per multiprocessor. The launch fails if they cannot all be resident.
  const int num_tiles = std::max(1, ceil_div(num_items, Tile::kItems));  // one to count no items
  const int num_blocks = std::min({num_tiles, num_multiprocessors(), Tile::kThreads});
  void* arguments[] = {&d_in, &num_items, &keep, &d_out, &d_count};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(num_blocks),
                                    dim3(Tile::kThreads), arguments, Tile::kSharedBytes, stream));
}

// The most shared memory that a block can get.
int most_shared_bytes() {
  int device = 0;
  int num_bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&num_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return num_bytes;
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& /*scratch*/, cudaStream_t stream) {
  // Large tiles have fewer rounds; small ones keep all blocks busy.
  const int max_bytes = most_shared_bytes() - 1024;  // the small variables of the kernel
  const int at_a_time = num_multiprocessors();
  const bool is_small = num_items <= at_a_time * SmallTile::kItems;
  const bool is_medium = num_items <= at_a_time * MediumTile::kItems;
  const auto compact_by =
      is_small || MediumTile::kSharedBytes > max_bytes   ? compact_by_resident_blocks<SmallTile>
      : is_medium || LargeTile::kSharedBytes > max_bytes ? compact_by_resident_blocks<MediumTile>
                                                         : compact_by_resident_blocks<LargeTile>;
  compact_by(d_in, num_items, keep, d_out, d_count, stream);
}

}  // namespace lab
