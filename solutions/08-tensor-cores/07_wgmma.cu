// SPDX-License-Identifier: MIT
// Groups of four warps multiply straight from shared memory; one more warp starts the copies to it.
// New: wgmma, copies by a tensor map, a producer and consumers that meet at barriers of stages, and
// blocks that take tile after tile: the producer copies for the next one while this one is stored.
// Limit: the tensor cores, if four stages hide the copies. Only for compute capability 9.0.
#include <algorithm>
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

struct Shape {
  int num_rows, num_cols, depth;

  __host__ __device__ int tiles_down() const { return ceil_div(num_rows, kTileRows); }
  __host__ __device__ int tiles_across() const { return ceil_div(num_cols, kTileCols); }
  __host__ __device__ int num_tiles() const { return tiles_down() * tiles_across(); }
  __device__ int steps_per_tile() const { return ceil_div(depth, kTileDepth); }

  // Numbers the tiles down bands, column by column; the last band may have fewer rows.
  __device__ int2 first_element(int tile) const {
    const int band = tile / (kBandRows * tiles_across());
    const int in_band = tile % (kBandRows * tiles_across());
    const int rows = min(kBandRows, tiles_down() - band * kBandRows);
    return make_int2(in_band / rows * kTileCols, (band * kBandRows + in_band % rows) * kTileRows);
  }
};

// One thread: fills the stages in turn, as soon as they are empty. Its steps count on from tile to
// tile, so it copies for the next tile while the consumers store this one.
__device__ void produce(const CUtensorMap& map_a, const CUtensorMap& map_b, const Shape& shape,
                        Stage* stages, Barriers& barriers) {
  int step = 0;
  for (int tile = blockIdx.x; tile < shape.num_tiles(); tile += gridDim.x) {
    const int2 first = shape.first_element(tile);
    for (int k = 0; k < shape.depth; k += kTileDepth, ++step) {
      Stage& stage = stages[step % kStages];
      std::uint64_t* const full = &barriers.full[step % kStages];
      const int round = step / kStages;
      if (round > 0) wait(&barriers.empty[step % kStages], (round - 1) % 2);
      arrive_and_expect(full, sizeof stage);
      copy_box(stage.a, map_a, first.y, k, full);
      for (int i = 0; i < kTileCols / kBoxCols; ++i) {
        copy_box(stage.b[i], map_b, k, first.x + i * kBoxCols, full);
      }
    }
  }
}

// A warpgroup: 64 rows of a tile, from `tile_row` on, in the steps from `first_step` on.
__device__ void consume(float (&sums)[2][64], int tile_row, int first_step, int num_steps,
                        Stage* stages, Barriers& barriers) {
  const bool releases = threadIdx.x % 32 == 0;  // one lane of each warp
  for (int step = first_step; step < first_step + num_steps; ++step) {
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
#pragma unroll
  for (auto& product : sums) wait_for_products<0>(product);
}

// Neighbouring lanes exchange pairs of sums, so that each stores four side by side: of 16 columns,
// the even lane those of the left half, and the odd lane those of the right half.
__device__ void store(const float (&sums)[2][64], int first_row, int first_col, const Shape& shape,
                      float* d_c) {
  const int lane_id = threadIdx.x % 32;
  const bool is_odd = lane_id % 2 != 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 64; j += 8) {  // 16 columns
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float* const left = &sums[i][j + 2 * half];
        const float* const right = left + 4;
        const float got_0 = __shfl_xor_sync(0xFFFFFFFF, is_odd ? left[0] : right[0], 1);
        const float got_1 = __shfl_xor_sync(0xFFFFFFFF, is_odd ? left[1] : right[1], 1);
        const int row = first_row + lane_id / 4 + half * 8;
        const int col =
            first_col + i * kProductCols + j * 2 + (is_odd ? 8 : 0) + lane_id % 4 / 2 * 4;
        if (row >= shape.num_rows || col >= shape.num_cols) continue;
        __stcs(reinterpret_cast<float4*>(d_c + row * shape.num_cols + col),  // keeps A and B in L2
               is_odd ? make_float4(got_0, got_1, right[0], right[1])
                      : make_float4(left[0], left[1], got_0, got_1));
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap map_a,  // (num_rows, depth)
                 const __grid_constant__ CUtensorMap map_b,  // (depth, num_cols)
                 float* d_c, Shape shape) {
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

  const int warp_id = threadIdx.x / 32;
  if (warp_id == kConsumerWarps) {
    if (threadIdx.x % 32 == 0) produce(map_a, map_b, shape, stages, barriers);
    return;
  }
  const int num_steps = shape.steps_per_tile();
  int step = 0;
  for (int tile = blockIdx.x; tile < shape.num_tiles(); tile += gridDim.x) {
    float sums[2][64] = {};
    consume(sums, warp_id / 4 * kProductRows, step, num_steps, stages, barriers);
    step += num_steps;
    const int2 first = shape.first_element(tile);
    store(sums, first.y + warp_id * 16, first.x, shape, d_c);
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
  const Shape shape{num_rows, num_cols, depth};
  const int num_blocks = std::min(shape.num_tiles(), num_multiprocessors());
  wgmma_kernel<<<num_blocks, kThreads, kSharedBytes, stream>>>(
      tensor_map(d_a, num_rows, depth, kTileRows), tensor_map(d_b, depth, num_cols, kTileDepth),
      d_c, shape);
  check_launch();
}

}  // namespace lab
