// SPDX-License-Identifier: MIT
// Beyond the ladder: rung 06 for large arrays. As many blocks as run at a time stay until the end
// and take the tiles in rounds: in round r, block b scans tile r * gridDim.x + b.
// New: a block stores a tile one round after it added it up, so it rarely waits for other blocks'
// sums; meanwhile it copies its next two tiles (cp.async). Rounds are numbered over all calls, so
// no call has to clear what the last one left behind. Cost: a cooperative launch, and all of the
// shared memory. Limit: the copy bandwidth.
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
constexpr int kMostThreads = 1024;           // a block: a lane reads what one warp has added up
constexpr int kItemsPerRow = kWarpSize * 4;  // one 16-byte load per lane
constexpr int kStages = 2;                   // tiles per block that are copied at a time

// A block's threads, and how many vectors of a tile each of them has.
template <int kNumThreads, int kNumVectors>
struct Tile {
  static constexpr int kThreads = kNumThreads;
  static constexpr int kVectors = kNumVectors;
  static constexpr int kWarps = kThreads / kWarpSize;
  static constexpr int kItems = kThreads * kVectors * 4;
  static constexpr int kSharedBytes = kStages * kItems * static_cast<int>(sizeof(unsigned));
};
using LargeTile = Tile<1024, 7>;
using MediumTile = Tile<1024, 4>;
using SmallTile = Tile<512, 1>;

// The number of a round above, the sum of a block's tile of that round below: one 64-bit store
// publishes both.
using SumWord = unsigned long long;
using AtomicWord = cuda::atomic_ref<SumWord, cuda::thread_scope_device>;

__device__ SumWord sum_word(unsigned round_number, unsigned sum) {
  return SumWord{round_number} << 32 | sum;
}
__device__ unsigned wait_for_sum(SumWord& word, unsigned round_number) {
  SumWord seen;
  do {
    seen = AtomicWord(word).load(cuda::memory_order_relaxed);
  } while (static_cast<unsigned>(seen >> 32) != round_number);
  return static_cast<unsigned>(seen);
}

// By round, in turn, and block. Two of each are enough: a block that publishes has read the sums of
// the round before, so every block has published those, and has read the sums of the round before
// them. Numbers repeat after 2^32 rounds, which take hours.
__device__ SumWord block_sums[2][kMostThreads];
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

// One sum per warp; every warp reads them all.
template <class Tile>
struct WarpSums {
  unsigned of_tile[Tile::kWarps];          // of this round
  unsigned of_tiles_before[Tile::kWarps];  // of the round before, in blocks before this one
  unsigned of_round[Tile::kWarps];         // of the round before, in all blocks
};

// Returns the sum of the first `num_warps` sums, in every lane. All 32 lanes must call.
template <int kWarps>
__device__ unsigned sum_of_warps(const unsigned (&sums)[kWarps], int num_warps = kWarps) {
  const int lane_id = threadIdx.x % kWarpSize;
  return __reduce_add_sync(kFullWarp, lane_id < num_warps ? sums[lane_id] : 0);
}

// Starts copying this thread's vectors of a tile, with zeros past the end. The thread that copies a
// vector also reads it, so no barrier is needed in between.
template <class Tile>
__device__ void start_copy(const unsigned* d_in, unsigned num_items, unsigned begin, uint4* mine) {
#pragma unroll
  for (int k = 0; k < Tile::kVectors; ++k) {
    const unsigned i = begin + k * kItemsPerRow;  // up to a tile above 2^31
    const unsigned num_left = i < num_items ? num_items - i : 0;
    const unsigned num_bytes = num_left < 4 ? num_left * 4 : 16;
    const unsigned* d_vector = num_bytes > 0 ? d_in + i : d_in;
    __pipeline_memcpy_async(&mine[k * Tile::kThreads], d_vector, 16, 16 - num_bytes);
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

// All blocks must be resident: they wait for each other.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    resident_blocks_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  constexpr int kVectors = Tile::kVectors;
  // (kStages, kVectors, kThreads). If it began at any multiple of 16 bytes, each copy would cross a
  // border between lines of 128: 8% slower.
  alignas(128) extern __shared__ uint4 stages[];
  // Two, in turn: warps may write those of one round while others still read those before.
  __shared__ WarpSums<Tile> warp_sums[2];
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
  const auto my_stage = [&](int round) {
    return &stages[round % kStages * kVectors * Tile::kThreads + t];
  };
  const auto start_round = [&](int round) {
    const int tile = tile_of(round);
    if (tile < num_tiles) {
      start_copy<Tile>(d_in, num_items, my_first_item(tile), my_stage(round));
    }
    __pipeline_commit();  // one batch per round, even if empty: waiting counts batches
  };
  for (int round = 0; round < kStages; ++round) start_round(round);
  if (t == 0) first_round = ask_first_round(num_rounds);  // the others read it after a barrier

  uint4 items[kVectors] = {};     // of the last round's tile
  unsigned sum_before_warp = 0;   // in that tile
  unsigned sum_before_round = 0;  // of all tiles of the rounds before it
  for (int round = 0; round <= num_rounds; ++round) {
    WarpSums<Tile>& sums = warp_sums[round % 2];
    const bool has_tile = tile_of(round) < num_tiles;  // false after the last round
    unsigned sum = 0;
    if (has_tile) {
      __pipeline_wait_prior(kStages - 1);  // this thread's vectors of this round are there
#pragma unroll
      for (int k = 0; k < kVectors; ++k) {
        const uint4 item = my_stage(round)[k * Tile::kThreads];
        sum += item.x + item.y + item.z + item.w;
      }
    }
    sum = __reduce_add_sync(kFullWarp, sum);
    unsigned other = 0;  // the sum of block t's tile, published a round ago: a wait is rare
    if (round > 0 && t < num_blocks && (round - 1) * num_blocks + t < num_tiles) {
      other = wait_for_sum(block_sums[(round + 1) % 2][t], first_round + round - 1);
    }
    __syncwarp();
    const bool is_before = t < static_cast<int>(blockIdx.x);
    const unsigned before = __reduce_add_sync(kFullWarp, is_before ? other : 0);
    const unsigned all = __reduce_add_sync(kFullWarp, other);
    if (lane_id == 0) {
      sums.of_tile[warp_id] = sum;
      sums.of_tiles_before[warp_id] = before;
      sums.of_round[warp_id] = all;
    }
    __syncthreads();  // the sums of all warps are there; the only barrier of a round
    const unsigned tile_sum = sum_of_warps(sums.of_tile);
    if (has_tile && t == 0) {
      AtomicWord(block_sums[round % 2][blockIdx.x])
          .store(sum_word(first_round + round, tile_sum), cuda::memory_order_relaxed);
    }

    if (round > 0 && tile_of(round - 1) < num_tiles) {
      const unsigned in_round = sum_of_warps(sums.of_tiles_before);
      scan_and_store(items, sum_before_round + in_round + sum_before_warp, num_items,
                     my_first_item(tile_of(round - 1)), d_out);
    }
    sum_before_round += sum_of_warps(sums.of_round);
    sum_before_warp = sum_of_warps(sums.of_tile, warp_id);
    if (has_tile) {
#pragma unroll
      for (int k = 0; k < kVectors; ++k) items[k] = my_stage(round)[k * Tile::kThreads];
    }
    start_round(round + kStages);  // into the stage that this thread has just read
  }
}

template <class Tile>
void scan_by_resident_blocks(const unsigned* d_in, int num_items, unsigned* d_out,
                             cudaStream_t stream) {
  const auto kernel = resident_blocks_kernel<Tile>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             Tile::kSharedBytes));
  // One block per multiprocessor. The launch fails if they cannot all be resident.
  const int num_tiles = ceil_div(num_items, Tile::kItems);
  const int num_blocks = std::min({num_tiles, num_multiprocessors(), Tile::kThreads});
  void* arguments[] = {&d_in, &num_items, &d_out};
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

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  // Large tiles have fewer rounds; small ones keep all blocks busy to the last round.
  const int max_bytes = most_shared_bytes() - 1024;  // the small variables of the kernel
  const int at_a_time = num_multiprocessors();
  const bool is_small = num_items <= at_a_time * SmallTile::kItems;
  const bool is_medium = num_items <= 8 * at_a_time * MediumTile::kItems;
  const auto scan =
      is_small || MediumTile::kSharedBytes > max_bytes   ? scan_by_resident_blocks<SmallTile>
      : is_medium || LargeTile::kSharedBytes > max_bytes ? scan_by_resident_blocks<MediumTile>
                                                         : scan_by_resident_blocks<LargeTile>;
  scan(as_unsigned(d_in), num_items, as_unsigned(d_out), stream);
}

}  // namespace lab
