// SPDX-License-Identifier: MIT
// Beyond the ladder: rung 06 for large arrays. As many blocks as run at a time stay until the end
// and take the tiles in rounds: in round r, block b scans tile r * gridDim.x + b.
// New: a block stores a tile one round after it added it up, so it rarely waits for other blocks'
// sums; meanwhile it copies its next two tiles (cp.async). Cost: a cooperative launch, and all of
// the shared memory. Limit: the copy bandwidth.
#include <cuda_pipeline.h>

#include <algorithm>
#include <cuda/atomic>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 1024;
constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
constexpr int kItemsPerRow = kWarpSize * 4;  // one 16-byte load per lane
constexpr int kStages = 2;                   // tiles per block that are copied at a time
static_assert(kNumWarps == kWarpSize, "a lane reads what one warp has added up");

// Each thread has kVectors vectors of a tile.
template <int kVectors>
constexpr int kItemsPerTile = kNumWarps* kVectors* kItemsPerRow;
template <int kVectors>
constexpr int kSharedBytes = kStages* kItemsPerTile<kVectors>* static_cast<int>(sizeof(unsigned));

// A tile's sum, with kKnown set once it is known: one 64-bit store publishes both.
using TileWord = unsigned long long;
constexpr TileWord kKnown = TileWord{1} << 32;
using AtomicWord = cuda::atomic_ref<TileWord, cuda::thread_scope_device>;

__device__ unsigned wait_for_sum(TileWord& word) {
  TileWord seen;
  do {
    seen = AtomicWord(word).load(cuda::memory_order_relaxed);
  } while (seen == 0);
  return static_cast<unsigned>(seen);
}

// One sum per warp; every warp reads them all.
struct WarpSums {
  unsigned of_tile[kNumWarps];          // of this round
  unsigned of_tiles_before[kNumWarps];  // of the round before, in blocks before this one
  unsigned of_round[kNumWarps];         // of the round before, in all blocks
};

// Starts copying this thread's vectors of a tile, with zeros past the end. The thread that copies a
// vector also reads it, so no barrier is needed in between.
template <int kVectors>
__device__ void start_copy(const unsigned* d_in, unsigned num_items, unsigned begin, uint4* mine) {
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const unsigned i = begin + k * kItemsPerRow;  // up to a tile above 2^31
    const unsigned num_left = i < num_items ? num_items - i : 0;
    const unsigned num_bytes = num_left < 4 ? num_left * 4 : 16;
    const unsigned* d_vector = num_bytes > 0 ? d_in + i : d_in;
    __pipeline_memcpy_async(&mine[k * kThreadsPerBlock], d_vector, 16, 16 - num_bytes);
  }
}

// Scans the warp's part of a tile and writes it. `before`: the sum of all items before it.
template <int kVectors>
__device__ void scan_and_store(const uint4 (&items)[kVectors], unsigned before, unsigned num_items,
                               unsigned begin, unsigned* d_out) {
  const int lane_id = threadIdx.x % kWarpSize;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const uint4 item = items[k];
    const unsigned sum = item.x + item.y + item.z + item.w;
    unsigned inclusive = sum;
#pragma unroll
    for (int distance = 1; distance < kWarpSize; distance *= 2) {
      const unsigned earlier = __shfl_up_sync(kFullWarp, inclusive, distance);
      if (lane_id >= distance) inclusive += earlier;
    }
    uint4 sums;
    sums.x = before + inclusive - sum;
    sums.y = sums.x + item.x;
    sums.z = sums.y + item.y;
    sums.w = sums.z + item.z;
    before += __shfl_sync(kFullWarp, inclusive, kWarpSize - 1);

    const unsigned i = begin + k * kItemsPerRow;
    if (i + 3 < num_items) {
      *reinterpret_cast<uint4*>(&d_out[i]) = sums;
    } else {
      if (i < num_items) d_out[i] = sums.x;
      if (i + 1 < num_items) d_out[i + 1] = sums.y;
      if (i + 2 < num_items) d_out[i + 2] = sums.z;
    }
  }
}

// All blocks must be resident: they wait for each other. d_words (number of tiles): 0 at first.
template <int kVectors>
__global__ void __launch_bounds__(kThreadsPerBlock)
    resident_blocks_kernel(const unsigned* d_in, int num_items, unsigned* d_out,
                           TileWord* d_words) {
  extern __shared__ uint4 stages[];  // (kStages, kVectors, kThreadsPerBlock)
  // Two, in turn: warps may write those of one round while others still read those before.
  __shared__ WarpSums warp_sums[2];
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;
  const int num_blocks = gridDim.x;
  const int num_tiles = ceil_div(num_items, kItemsPerTile<kVectors>);
  const int num_rounds = ceil_div(num_tiles, num_blocks);
  const auto tile_of = [&](int round) { return round * num_blocks + static_cast<int>(blockIdx.x); };
  const auto my_first_item = [&](int tile) {
    return static_cast<unsigned>(tile) * kItemsPerTile<kVectors> +
           warp_id * kVectors * kItemsPerRow + lane_id * 4;
  };
  const auto my_stage = [&](int round) {
    return &stages[round % kStages * kVectors * kThreadsPerBlock + t];
  };
  const auto start_round = [&](int round) {
    const int tile = tile_of(round);
    if (tile < num_tiles) {
      start_copy<kVectors>(d_in, num_items, my_first_item(tile), my_stage(round));
    }
    __pipeline_commit();  // one batch per round, even if empty: waiting counts batches
  };
  for (int round = 0; round < kStages; ++round) start_round(round);

  uint4 items[kVectors] = {};     // of the last round's tile
  unsigned sum_before_warp = 0;   // in that tile
  unsigned sum_before_round = 0;  // of all tiles of the rounds before it
  for (int round = 0; round <= num_rounds; ++round) {
    WarpSums& sums = warp_sums[round % 2];
    const bool has_tile = tile_of(round) < num_tiles;  // false after the last round
    unsigned sum = 0;
    if (has_tile) {
      __pipeline_wait_prior(kStages - 1);  // this thread's vectors of this round are there
#pragma unroll
      for (int k = 0; k < kVectors; ++k) {
        const uint4 item = my_stage(round)[k * kThreadsPerBlock];
        sum += item.x + item.y + item.z + item.w;
      }
    }
    sum = __reduce_add_sync(kFullWarp, sum);
    unsigned other = 0;  // the sum of block t's tile, published a round ago: a wait is rare
    const int others_tile = (round - 1) * num_blocks + t;
    if (round > 0 && t < num_blocks && others_tile < num_tiles) {
      other = wait_for_sum(d_words[others_tile]);
    }
    __syncwarp();
    const unsigned before =
        __reduce_add_sync(kFullWarp, t < static_cast<int>(blockIdx.x) ? other : 0);
    const unsigned all = __reduce_add_sync(kFullWarp, other);
    if (lane_id == 0) {
      sums.of_tile[warp_id] = sum;
      sums.of_tiles_before[warp_id] = before;
      sums.of_round[warp_id] = all;
    }
    __syncthreads();  // the sums of all warps are there; the only barrier of a round
    const unsigned warp_sum = sums.of_tile[lane_id];
    const unsigned tile_sum = __reduce_add_sync(kFullWarp, warp_sum);
    if (has_tile && t == 0) {
      AtomicWord(d_words[tile_of(round)]).store(kKnown | tile_sum, cuda::memory_order_relaxed);
    }

    if (round > 0 && tile_of(round - 1) < num_tiles) {
      const unsigned in_round = __reduce_add_sync(kFullWarp, sums.of_tiles_before[lane_id]);
      scan_and_store(items, sum_before_round + in_round + sum_before_warp, num_items,
                     my_first_item(tile_of(round - 1)), d_out);
    }
    sum_before_round += __reduce_add_sync(kFullWarp, sums.of_round[lane_id]);
    sum_before_warp = __reduce_add_sync(kFullWarp, lane_id < warp_id ? warp_sum : 0);
    if (has_tile) {
#pragma unroll
      for (int k = 0; k < kVectors; ++k) items[k] = my_stage(round)[k * kThreadsPerBlock];
    }
    start_round(round + kStages);  // into the stage that this thread has just read
  }
}

template <int kVectors>
void scan_by_resident_blocks(const unsigned* d_in, int num_items, unsigned* d_out, Scratch& scratch,
                             cudaStream_t stream) {
  const int num_tiles = ceil_div(num_items, kItemsPerTile<kVectors>);
  TileWord* d_words = scratch.allocate<TileWord>(num_tiles);
  check(cudaMemsetAsync(d_words, 0, num_tiles * sizeof(TileWord), stream));
  const auto kernel = resident_blocks_kernel<kVectors>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kSharedBytes<kVectors>));
  // One block per multiprocessor. The launch fails if they cannot all be resident.
  const int num_blocks = std::min({num_tiles, num_multiprocessors(), kThreadsPerBlock});
  void* arguments[] = {&d_in, &num_items, &d_out, &d_words};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(num_blocks),
                                    dim3(kThreadsPerBlock), arguments, kSharedBytes<kVectors>,
                                    stream));
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

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  // Large tiles have more loads in flight; small ones keep all blocks busy.
  const int max_bytes = most_shared_bytes() - static_cast<int>(2 * sizeof(WarpSums));
  const int at_a_time = num_multiprocessors();
  const bool is_large = num_items > 4 * at_a_time * kItemsPerTile<4>;
  const bool is_medium = num_items > at_a_time * kItemsPerTile<1>;
  const auto scan = is_large && kSharedBytes<7> <= max_bytes    ? scan_by_resident_blocks<7>
                    : is_medium && kSharedBytes<4> <= max_bytes ? scan_by_resident_blocks<4>
                                                                : scan_by_resident_blocks<1>;
  scan(as_unsigned(d_in), num_items, as_unsigned(d_out), scratch, stream);
}

}  // namespace lab
