// SPDX-License-Identifier: MIT
// One launch that reads each item once: a tile learns by look-back what all tiles before it keep.
// New: tiles are large, so there are few to wait for, unless multiprocessors would be idle; 16-byte
// loads; one scan ranks eight rows; stores cover whole lines. Limit: the memory. (D. Merrill, M.
// Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.)
#include <algorithm>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/look_back.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kLargeBlock = 1024;  // threads: a warp sum per lane, so no more than 32 warps
constexpr int kSmallBlock = 512;   // where the tile of a large block does not fit
constexpr int kMostVectors = 8;    // per thread: a byte of one word counts each row, see RowRanks
constexpr int kItemsPerLine = 32;  // of 128 bytes

struct Add {
  __device__ int operator()(int a, int b) const { return a + b; }
};

// This thread's items of one tile, and which of them exist and are kept: bit i of `kept`, item i.
template <int kVectorsPerThread>
struct ThreadItems {
  static constexpr int kItemsPerThread = 4 * kVectorsPerThread;  // at most 32: a bit each
  int items[kItemsPerThread];
  unsigned exists;
  __device__ unsigned kept(Predicate keep) const {
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < kItemsPerThread; ++i) bits |= (keep(items[i]) ? 1u : 0u) << i;
    return bits & exists;
  }
};

// A warp's k-th vectors form a row of 128 neighbouring items, and its rows follow on each other: a
// tile's order is warp, row, lane, item.
template <int kItemsPerTile, int kVectorsPerThread>
__device__ void load(const int* d_in, int num_items, int tile,
                     ThreadItems<kVectorsPerThread>& mine) {
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;
  const int tile_items = min(num_items - tile * kItemsPerTile, kItemsPerTile);
  const int first = (warp_id * kVectorsPerThread * kWarpSize + lane_id) * 4;  // of the tile
  const int* d_first = d_in + tile * kItemsPerTile + first;
  if (tile_items == kItemsPerTile) {
    mine.exists = ~0u;
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {
      const int4 vector = reinterpret_cast<const int4*>(d_first)[k * kWarpSize];
      mine.items[4 * k] = vector.x;
      mine.items[4 * k + 1] = vector.y;
      mine.items[4 * k + 2] = vector.z;
      mine.items[4 * k + 3] = vector.w;
    }
  } else {  // the last tile of all
    mine.exists = 0;
#pragma unroll
    for (int i = 0; i < mine.kItemsPerThread; ++i) {
      const int offset = i / 4 * 4 * kWarpSize + i % 4;
      const bool exists = first + offset < tile_items;
      mine.items[i] = exists ? d_first[offset] : 0;
      mine.exists |= (exists ? 1u : 0u) << i;
    }
  }
}

// Kept items of a warp's rows, byte k for row k. A row has at most 128, so no byte overflows.
using RowCounts = unsigned long long;
struct RowRanks {
  RowCounts before;  // in the lanes below
  RowCounts counts;  // in all lanes
};

// One scan over the warp ranks all rows. All 32 lanes must call.
template <int kVectorsPerThread>
__device__ RowRanks rank_rows(unsigned kept) {
  RowCounts own = 0;
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    own |= static_cast<RowCounts>(__popc(kept >> 4 * k & 0xfu)) << 8 * k;
  }
  RowCounts inclusive = own;
#pragma unroll
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const RowCounts below = __shfl_up_sync(kFullWarp, inclusive, distance);
    if (static_cast<int>(threadIdx.x % kWarpSize) >= distance) inclusive += below;
  }
  return {inclusive - own, __shfl_sync(kFullWarp, inclusive, kWarpSize - 1)};
}

// d_in, d_out (num_items), d_count (1); `look_back` has a tile per block. A tile's items fit in
// the dynamic shared memory.
template <int kThreadsPerBlock, int kVectorsPerThread>
__global__ void __launch_bounds__(kThreadsPerBlock)
    single_pass_kernel(const int* d_in, int num_items, Predicate keep, LookBack<int> look_back,
                       int* d_out, int* d_count) {
  constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
  extern __shared__ int kept_items[];
  __shared__ int warp_counts[kNumWarps];
  __shared__ int ticket;
  __shared__ int tile_offset;
  const int t = threadIdx.x;
  const int lane_id = t % kWarpSize;
  const int warp_id = t / kWarpSize;

  if (t == 0) ticket = look_back.take_ticket();
  __syncthreads();  // ticket is set
  const int tile = ticket;
  ThreadItems<kVectorsPerThread> mine;
  load<kThreadsPerBlock * mine.kItemsPerThread>(d_in, num_items, tile, mine);
  const unsigned kept = mine.kept(keep);
  const int warp_count = __reduce_add_sync(kFullWarp, __popc(kept));
  if (lane_id == 0) warp_counts[warp_id] = warp_count;
  __syncthreads();  // all warps have counted

  const int count = lane_id < kNumWarps ? warp_counts[lane_id] : 0;
  const int tile_count = __reduce_add_sync(kFullWarp, count);
  if (t == 0) look_back.publish(tile, tile_count);  // first of all: the tiles behind wait for it
  int* row = kept_items +                           // where the warp's next row goes
             __reduce_add_sync(kFullWarp, lane_id < warp_id ? count : 0);
  const RowRanks ranks = rank_rows<kVectorsPerThread>(kept);
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    int* place = row + (ranks.before >> 8 * k & 0xffu);
#pragma unroll
    for (int i = 4 * k; i < 4 * k + 4; ++i) {
      if (kept >> i & 1u) *place++ = mine.items[i];
    }
    row += ranks.counts >> 8 * k & 0xffu;
  }
  // Last of all: by now most predecessors have a prefix, so the look-back is short.
  if (warp_id == 0) {
    const int before = look_back.exclusive_prefix(tile, tile_count, 0, Add{});
    if (lane_id == 0) tile_offset = before;
  }
  __syncthreads();  // kept_items and tile_offset are complete

  // A warp's 32 stores begin where a line of d_out begins: it touches one line, never two.
  const int offset = tile_offset;
  for (int i = t - offset % kItemsPerLine; i < tile_count; i += kThreadsPerBlock) {
    if (i >= 0) __stcs(&d_out[offset + i], kept_items[i]);
  }
  if (tile == static_cast<int>(gridDim.x) - 1 && t == 0) d_count[0] = offset + tile_count;
}

template <int kThreadsPerBlock, int kVectorsPerThread>
void compact_by(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
                Scratch& scratch, cudaStream_t stream) {
  constexpr int kItemsPerTile = kThreadsPerBlock * 4 * kVectorsPerThread;
  constexpr int kTileBytes = kItemsPerTile * sizeof(int);
  const int num_tiles = std::max(1, ceil_div(num_items, kItemsPerTile));  // one to count no items
  const LookBack<int> look_back(num_tiles, scratch, stream);
  const auto kernel = single_pass_kernel<kThreadsPerBlock, kVectorsPerThread>;
  if constexpr (kTileBytes > 48 << 10) {  // a kernel gets more only after this call
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kTileBytes));
  }
  kernel<<<num_tiles, kThreadsPerBlock, kTileBytes, stream>>>(d_in, num_items, keep, look_back,
                                                              d_out, d_count);
  check_launch();
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  // For a short array, tiles so small that all of them run at the same time.
  const int at_a_time = num_multiprocessors() * kSmallBlock * 4;
  if (num_items <= at_a_time * 2) {
    return compact_by<kSmallBlock, 2>(d_in, num_items, keep, d_out, d_count, scratch, stream);
  }
  if (num_items <= at_a_time * 4) {
    return compact_by<kSmallBlock, 4>(d_in, num_items, keep, d_out, d_count, scratch, stream);
  }
  // 128 KiB a block, which data centre GPUs have to give, and most others do not.
  constexpr int kLargeTileBytes = kLargeBlock * 4 * kMostVectors * sizeof(int);
  int device = 0;
  int most_bytes = 0;  // of shared memory, with the small variables of the kernel
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const bool large_fits = most_bytes >= kLargeTileBytes + 1024;
  const auto compact_by_blocks =
      large_fits ? compact_by<kLargeBlock, kMostVectors> : compact_by<kSmallBlock, kMostVectors>;
  compact_by_blocks(d_in, num_items, keep, d_out, d_count, scratch, stream);
}

}  // namespace lab
