// SPDX-License-Identifier: MIT
// Groups of four warps multiply straight from shared memory; one more warp starts the copies to it.
// New: wgmma, copies by a tensor map, a producer and consumers that meet at barriers of stages.
// Limit: the tensor cores, if four stages hide the copies. Only for compute capability 9.0.
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/warpgroup_instructions.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

constexpr int kProductRows = 64;  // of a warpgroup
constexpr int kProductCols = 128;
constexpr int kProductDepth = 16;
constexpr int kBoxCols = 64;  // bfloat16 in a row of 128 bytes
constexpr int kBandRows = 8;  // blocks that run together share rows of A and columns of B
constexpr int kStages = 4;

// A block's tile of C: each consumer has 64 rows of it, as two products side by side.
constexpr int kTileRows = 128;
constexpr int kTileCols = 256;
constexpr int kTileDepth = 64;
constexpr int kConsumerWarps = kTileRows / kProductRows * 4;
constexpr int kThreads = (kConsumerWarps + 1) * 32;

// All with the swizzle. A's rows are kTileDepth long; B's are boxes side by side.
struct Stage {
  __nv_bfloat16 a[kTileRows][kTileDepth];
  __nv_bfloat16 b[kTileCols / kBoxCols][kTileDepth][kBoxCols];
};

struct Barriers {
  std::uint64_t full[kStages];   // the copies have arrived
  std::uint64_t empty[kStages];  // the products have read them
};

// Numbers the tiles down bands, column by column; the last band may have fewer rows.
__device__ int2 tile_of_block(int block, int tiles_down, int tiles_across) {
  const int band = block / (kBandRows * tiles_across);
  const int in_band = block % (kBandRows * tiles_across);
  const int rows = min(kBandRows, tiles_down - band * kBandRows);
  return make_int2(in_band / rows, band * kBandRows + in_band % rows);
}

// One thread: fills the stages in turn, as soon as they are empty.
__device__ void produce(const CUtensorMap& map_a, const CUtensorMap& map_b, int first_row,
                        int first_col, int num_steps, Stage* stages, Barriers& barriers) {
  for (int step = 0; step < num_steps; ++step) {
    Stage& stage = stages[step % kStages];
    std::uint64_t* const full = &barriers.full[step % kStages];
    const int round = step / kStages;
    if (round > 0) wait(&barriers.empty[step % kStages], (round - 1) % 2);
    arrive_and_expect(full, sizeof stage);
    const int k = step * kTileDepth;
    copy_box(stage.a, map_a, first_row, k, full);
    for (int i = 0; i < kTileCols / kBoxCols; ++i) {
      copy_box(stage.b[i], map_b, k, first_col + i * kBoxCols, full);
    }
  }
}

// A warpgroup: 64 rows of the tile, from `tile_row` on.
__device__ void consume(float (&sums)[2][64], int tile_row, int num_steps, Stage* stages,
                        Barriers& barriers) {
  const bool releases = threadIdx.x % 32 == 0;  // one lane of each warp
  for (int step = 0; step < num_steps; ++step) {
    Stage& stage = stages[step % kStages];
    wait(&barriers.full[step % kStages], step / kStages % 2);
    fence_sums();
#pragma unroll
    for (int k = 0; k < kTileDepth; k += kProductDepth) {
      const std::uint64_t a = tile_descriptor(&stage.a[tile_row][k]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const auto& b = stage.b[i * kProductCols / kBoxCols];
        start_product(sums[i], a, tile_descriptor(b[k], sizeof b));
      }
    }
    commit_products();
    wait_for_products<1>();  // those of the step before: its stage has been read
    if (step > 0 && releases) arrive(&barriers.empty[(step - 1) % kStages]);
  }
  wait_for_products<0>();
}

__global__ void __launch_bounds__(kThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap map_a,  // (num_rows, depth)
                 const __grid_constant__ CUtensorMap map_b,  // (depth, num_cols)
                 float* d_c, int num_rows, int num_cols, int depth) {
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Stage* const stages = reinterpret_cast<Stage*>(shared_bytes);  // kStages of them
  __shared__ Barriers barriers;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init_barrier(&barriers.full[i], 1);
      init_barrier(&barriers.empty[i], kConsumerWarps);
    }
    publish_barriers();
  }
  __syncthreads();  // the barriers are there

  const int2 tile =
      tile_of_block(blockIdx.x, ceil_div(num_rows, kTileRows), ceil_div(num_cols, kTileCols));
  const int first_row = tile.y * kTileRows;
  const int first_col = tile.x * kTileCols;
  const int num_steps = ceil_div(depth, kTileDepth);
  const int warp_id = threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  if (warp_id == kConsumerWarps) {
    if (lane_id == 0) produce(map_a, map_b, first_row, first_col, num_steps, stages, barriers);
    return;
  }

  float sums[2][64] = {};
  consume(sums, warp_id / 4 * kProductRows, num_steps, stages, barriers);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 64; j += 2) {
      const int row = first_row + warp_id * 16 + lane_id / 4 + j / 2 % 2 * 8;
      const int col = first_col + i * kProductCols + j / 4 * 8 + lane_id % 4 * 2;
      if (row >= num_rows || col >= num_cols) continue;
      *reinterpret_cast<float2*>(d_c + row * num_cols + col) =
          make_float2(sums[i][j], sums[i][j + 1]);
    }
  }
}

}  // namespace

void matmul_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  if (depth == 0) {                            // a tensor map has no size 0
    check(cudaMemsetAsync(d_c, 0, sizeof(float) * num_rows * num_cols, stream));
    return;
  }
  constexpr int kSharedBytes = kStages * sizeof(Stage);
  check(cudaFuncSetAttribute(wgmma_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kSharedBytes));
  const int num_tiles = ceil_div(num_rows, kTileRows) * ceil_div(num_cols, kTileCols);
  wgmma_kernel<<<num_tiles, kThreads, kSharedBytes, stream>>>(
      tensor_map(d_a, num_rows, depth, kTileRows), tensor_map(d_b, depth, num_cols, kTileDepth),
      d_c, num_rows, num_cols, depth);
  check_launch();
}

}  // namespace lab
