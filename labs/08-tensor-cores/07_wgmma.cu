// SPDX-License-Identifier: MIT
// Groups of four warps multiply straight from shared memory; one more warp starts the copies to it.
// Only for compute capability 9.0. You need lab/warpgroup_instructions.cuh: read it first.
#include <algorithm>
#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
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
    // TODO 1. The order of your 04. x is the first column of the tile, y its first row.
    return make_int2(0, 0);
  }
};

// One thread: fills the stages in turn, as soon as they are empty. Its steps count on from tile to
// tile, so it copies for the next tile while the consumers store this one.
__device__ void produce(const CUtensorMap& map_a, const CUtensorMap& map_b, const Shape& shape,
                        Stage* stages, Barriers& barriers) {
  // TODO 2. Take the tiles that the consumers take. Step s fills stage s % kStages: one box of A,
  //         and kTileCols / kBoxCols boxes of B. How many bytes does its barrier `full` wait for,
  //         and which thread announces them?
  // TODO 3. From the second round on, wait until the stage is empty. A barrier's phases have parity
  //         0, 1, 0, ...: which one is that of round r?
}

// A warpgroup: 64 rows of a tile, from `tile_row` on, in the steps from `first_step` on.
__device__ void consume(float (&sums)[2][64], int tile_row, int first_step, int num_steps,
                        Stage* stages, Barriers& barriers) {
  // TODO 4. When a stage is full, start its products: in each step of kProductDepth, two that lie
  //         side by side. A's rows are kTileDepth long. Where does B begin for step k, and how many
  //         bytes is it from 64 columns of B to the next 64?
  // TODO 5. The products of a step are a group. When may a stage be filled again? Let the group of
  //         this step go on while the next one starts.
}

// A warp: its 16 rows of the sums.
__device__ void store(const float (&sums)[2][64], int first_row, int first_col, const Shape& shape,
                      float* d_c) {
  // TODO 6. The header of the instructions says which element of the product sum i of a thread is.
  //         Which elements lie outside of C? Store pairs first. Then let neighbouring lanes
  //         exchange pairs, so that each stores four numbers at once.
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
  todo("07_wgmma: write the kernel, then delete this line");

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
