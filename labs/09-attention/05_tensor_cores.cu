// SPDX-License-Identifier: MIT
// Both products in bfloat16. The sums of the first product are, rounded in pairs, the fragments of
// the second: weights stay in registers. Copies run one tile ahead.
// Source: Dao, "FlashAttention-2: faster attention with better parallelism", 2023.
#include <cuda_pipeline.h>

#include <cfloat>
#include <cstdint>

#include "attention.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kMmaRows = 16;
constexpr int kMmaCols = 8;
constexpr int kMmaDepth = 16;
constexpr int kChunk = 8;  // bfloat16 in 16 bytes: one copy, and a row of ldmatrix
constexpr int kChunksPerRow = kHeadSize / kChunk;
constexpr float kScale = 0.12751743f;  // log2(e) / sqrt(kHeadSize): powers of 2, not of e

struct Tile {
  static constexpr int kQueries = 128;  // of a block
  static constexpr int kKeys = 64;      // of a step
  static constexpr int kWarpQueries = 32;
  static constexpr int kThreads = kQueries / kWarpQueries * 32;
  static constexpr int kMmas = kWarpQueries / kMmaRows;
};

// Where a chunk of a row lies in a tile of vectors: swizzled as in lab 08.
__device__ int place_of(int row, int chunk) {
  return 0;  // TODO 1. As in your lab 08, rung 03.
}

// Vectors of kHeadSize numbers, in chunks.
template <int kRows>
struct SharedRows {
  uint4 chunks[kRows * kChunksPerRow];

  // The chunk rows_down and chunks_right from a place in chunk 0 or 1, by groups of 8 rows and
  // pairs of chunks. Then row % 8 stays, and a sum of chunks is an exclusive or: the steps of an
  // unrolled loop differ by constants, and share the rest of their addresses.
  __device__ uint4* from(int place, int rows_down, int chunks_right) {
    return &chunks[(place ^ chunks_right) + rows_down * kChunksPerRow];
  }

  // Starts copying the first rows of an array that ends after num_rows; zeros past its end.
  __device__ void start_copy(const __nv_bfloat16* d_rows, int num_rows) {
    // TODO 2. Which chunks are this thread's? __pipeline_memcpy_async with a last argument of 16
    //         writes zeros and reads nothing. If the loop counts from 0 to kRows, nvcc knows how
    //         often it runs.
  }
};

struct Stage {
  SharedRows<Tile::kKeys> keys;
  SharedRows<Tile::kKeys> values;
};
struct Shared {
  SharedRows<Tile::kQueries> queries;
  Stage stages[2];
};

// With g = lane / 4 and t = lane % 4, a lane has of 16 x 8 sums: [0], [1] in row g, columns 2 t and
// 2 t + 1, and [2], [3] eight rows further down.
using Sums = float[4];
// Four neighbouring lanes together hold a row of scores and outputs. All 32 lanes must call these.
__device__ float row_largest(float mine) {
  mine = fmaxf(mine, __shfl_xor_sync(kFullWarp, mine, 1));
  return fmaxf(mine, __shfl_xor_sync(kFullWarp, mine, 2));
}
__device__ float row_sum(float mine) {
  mine += __shfl_xor_sync(kFullWarp, mine, 1);
  return mine + __shfl_xor_sync(kFullWarp, mine, 2);
}

// 2^x to 2 units in the last place, and 0 below 2^-126, which no weight needs.
__device__ float power_of_two(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

__device__ std::uint32_t packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// The online softmax of a warp's 16 rows, of which a lane has parts of two.
struct Rows {
  float largest[2] = {-FLT_MAX, -FLT_MAX};
  float sums[2] = {};  // of this lane's keys

  // Turns scores into weights relative to the new maximum, and makes the outputs relative to it.
  __device__ void add(Sums (&scores)[Tile::kKeys / kMmaCols],
                      Sums (&outputs)[kHeadSize / kMmaCols]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float new_largest = largest[half];
      // TODO 3. Row g or g + 8 of 16, which this lane shares with three neighbours. As in your 02.
      //         In which elements of a `Sums` is row g + 8?
    }
  }
};

__global__ void __launch_bounds__(Tile::kThreads, 2)
    tensor_core_kernel(const __nv_bfloat16* d_q, const __nv_bfloat16* d_k, const __nv_bfloat16* d_v,
                       int num_queries, int num_keys, __nv_bfloat16* d_out) {
  extern __shared__ uint4 shared_words[];
  Shared& shared = *reinterpret_cast<Shared*>(shared_words);
  const std::size_t head = blockIdx.y;
  const int first_query = blockIdx.x * Tile::kQueries;
  const int warp_row = threadIdx.x / 32 * Tile::kWarpQueries;  // in the block's tile
  const int lane_id = threadIdx.x % 32;
  // What this lane names to ldmatrix: a row of 16 and a chunk of two. The four matrices of queries
  // and values go down first, those of keys to the right.
  const int row = lane_id % 16;
  const int chunk = lane_id / 16;
  const int key = lane_id % 8 + lane_id / 16 * 8;
  const int key_chunk = lane_id / 8 % 2;
  const int query_place = place_of(warp_row + row, chunk);
  const int key_place = place_of(key, key_chunk);
  const int value_place = place_of(row, chunk);
  const std::size_t first_output = (head * num_queries + first_query) * kHeadSize;

  const auto start_copies = [&](int first_key, Stage& stage) {
    const std::size_t first_element = (head * num_keys + first_key) * kHeadSize;
    stage.keys.start_copy(d_k + first_element, num_keys - first_key);
    stage.values.start_copy(d_v + first_element, num_keys - first_key);
  };
  shared.queries.start_copy(d_q + first_output, num_queries - first_query);
  start_copies(0, shared.stages[0]);
  __pipeline_commit();

  Rows rows[Tile::kMmas];
  Sums outputs[Tile::kMmas][kHeadSize / kMmaCols] = {};
  for (int first_key = 0; first_key < num_keys; first_key += Tile::kKeys) {
    Stage& stage = shared.stages[first_key / Tile::kKeys % 2];
    // TODO 4. Wait for this tile, and start the copies of the next one. Into which stage, and how
    //         do you know that all warps have left it?
    Sums scores[Tile::kMmas][Tile::kKeys / kMmaCols] = {};
    // TODO 5. Scores: queries times keys. Each lane names a chunk of 16 keys, from `key_place`.
    //         What do words 0 to 3 of load_matrices hold then, and which are a fragment of B?
    if (first_key + Tile::kKeys > num_keys) {  // keys past the last one get a weight of 0
#pragma unroll
      for (int j = 0; j < Tile::kKeys / kMmaCols; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int column = first_key + j * kMmaCols + 2 * (lane_id % 4) + e % 2;
          if (column < num_keys) continue;
#pragma unroll
          for (int i = 0; i < Tile::kMmas; ++i) scores[i][j][e] = -INFINITY;
        }
      }
    }
    // TODO 6. Weights: rows[i].add(...). Then they are the fragments of A for the second product.
    //         Which sums are the four words of a fragment of 16 queries and 16 keys?
    // TODO 7. Outputs: weights times values.
  }

#pragma unroll
  for (int i = 0; i < Tile::kMmas; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float scale = 1 / row_sum(rows[i].sums[half]);
      const int query = warp_row + i * kMmaRows + half * 8 + lane_id / 4;
      if (first_query + query >= num_queries) continue;
      __nv_bfloat16* const d_row = d_out + first_output + query * kHeadSize;
#pragma unroll
      for (int j = 0; j < kHeadSize / kMmaCols; ++j) {
        const Sums& output = outputs[i][j];
        *reinterpret_cast<std::uint32_t*>(d_row + j * kMmaCols + 2 * (lane_id % 4)) =
            packed(output[2 * half] * scale, output[2 * half + 1] * scale);
      }
    }
  }
}

}  // namespace

void attention_bf16(const __nv_bfloat16* d_q, const __nv_bfloat16* d_k, const __nv_bfloat16* d_v,
                    int num_heads, int num_queries, int num_keys, __nv_bfloat16* d_out,
                    Scratch& /*scratch*/, cudaStream_t stream) {
  todo("05_tensor_cores: write the kernel, then delete this line");

  if (num_heads == 0 || num_queries == 0) return;  // a grid of 0 blocks is an error
  check(cudaFuncSetAttribute(tensor_core_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const dim3 grid(ceil_div(num_queries, Tile::kQueries), num_heads);
  tensor_core_kernel<<<grid, Tile::kThreads, sizeof(Shared), stream>>>(d_q, d_k, d_v, num_queries,
                                                                       num_keys, d_out);
  check_launch();
}

}  // namespace lab
