// SPDX-License-Identifier: MIT
// Both products in bfloat16. The sums of the first product are, rounded in pairs, the fragments of
// the second: weights stay in registers. New: fragments as in lab 08, copies one tile ahead. Limit:
// tensor cores wait for powers.
// Source: Dao, "FlashAttention-2: faster attention with better parallelism", 2023.
#include <cuda_pipeline.h>

#include <cfloat>
#include <cstdint>

#include "attention.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"

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
__device__ int place_of(int row, int chunk) { return row * kChunksPerRow + (chunk ^ row % 8); }

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
    const int row = threadIdx.x / kChunksPerRow;
    const int chunk = threadIdx.x % kChunksPerRow;
    const __nv_bfloat16* const d_chunk = d_rows + row * kHeadSize + chunk * kChunk;
#pragma unroll
    for (int i = 0; i < kRows; i += Tile::kThreads / kChunksPerRow) {
      __pipeline_memcpy_async(from(place_of(row, chunk), i, 0), d_chunk + i * kHeadSize,
                              sizeof(uint4), row + i < num_rows ? 0 : sizeof(uint4));
    }
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
#pragma unroll
      for (const Sums& score : scores) {
        new_largest = fmaxf(new_largest, fmaxf(score[2 * half], score[2 * half + 1]));
      }
      new_largest = row_largest(new_largest);
      const float correction = power_of_two((largest[half] - new_largest) * kScale);
      largest[half] = new_largest;
      // In most tiles no maximum of the warp's rows grows, and all corrections are 1.
      if (__any_sync(kFullWarp, correction != 1)) {
        sums[half] *= correction;
#pragma unroll
        for (Sums& output : outputs) {
          output[2 * half] *= correction;
          output[2 * half + 1] *= correction;
        }
      }
      const float scaled_largest = new_largest * kScale;
#pragma unroll
      for (Sums& score : scores) {
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          score[i] = power_of_two(fmaf(score[i], kScale, -scaled_largest));
          sums[half] += score[i];
        }
      }
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
  // and values go down first, those of keys to the right: so the two words of a fragment of B are
  // neighbours, as the instruction needs them, and no word moves to another register.
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
    __pipeline_wait_prior(0);
    __syncthreads();  // this stage is full, and all have used the other one
    if (first_key + Tile::kKeys < num_keys) {
      start_copies(first_key + Tile::kKeys, shared.stages[(first_key / Tile::kKeys + 1) % 2]);
      __pipeline_commit();
    }

    Sums scores[Tile::kMmas][Tile::kKeys / kMmaCols] = {};
#pragma unroll
    for (int k = 0; k < kChunksPerRow; k += kMmaDepth / kChunk) {
      std::uint32_t queries[Tile::kMmas][4];
#pragma unroll
      for (int i = 0; i < Tile::kMmas; ++i) {
        load_matrices(queries[i], shared.queries.from(query_place, i * kMmaRows, k));
      }
#pragma unroll
      for (int j = 0; j < Tile::kKeys / kMmaCols; j += 2) {
        std::uint32_t keys[4];  // of 16 keys: a key is a column, so nothing is transposed
        load_matrices(keys, stage.keys.from(key_place, j * kMmaCols, k));
#pragma unroll
        for (int i = 0; i < Tile::kMmas; ++i) {
          multiply_bf16(scores[i][j], queries[i], {keys[0], keys[1]});
          multiply_bf16(scores[i][j + 1], queries[i], {keys[2], keys[3]});
        }
      }
    }
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
#pragma unroll
    for (int i = 0; i < Tile::kMmas; ++i) rows[i].add(scores[i], outputs[i]);

#pragma unroll
    for (int k = 0; k < Tile::kKeys; k += kMmaDepth) {
      // Sums of 16 x 16 scores lie where a fragment of A has its words.
      std::uint32_t weights[Tile::kMmas][4];
#pragma unroll
      for (int i = 0; i < Tile::kMmas; ++i) {
        const Sums& left = scores[i][k / kMmaCols];
        const Sums& right = scores[i][k / kMmaCols + 1];
        weights[i][0] = packed(left[0], left[1]);
        weights[i][1] = packed(left[2], left[3]);
        weights[i][2] = packed(right[0], right[1]);
        weights[i][3] = packed(right[2], right[3]);
      }
#pragma unroll
      for (int j = 0; j < kHeadSize / kMmaCols; j += 2) {
        std::uint32_t values[4];  // of 16 keys, which are rows: transposed, as B in lab 08
        load_transposed(values, stage.values.from(value_place, k, j));
#pragma unroll
        for (int i = 0; i < Tile::kMmas; ++i) {
          multiply_bf16(outputs[i][j], weights[i], {values[0], values[1]});
          multiply_bf16(outputs[i][j + 1], weights[i], {values[2], values[3]});
        }
      }
    }
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
  if (num_heads == 0 || num_queries == 0) return;  // a grid of 0 blocks is an error
  check(cudaFuncSetAttribute(tensor_core_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const dim3 grid(ceil_div(num_queries, Tile::kQueries), num_heads);
  tensor_core_kernel<<<grid, Tile::kThreads, sizeof(Shared), stream>>>(d_q, d_k, d_v, num_queries,
                                                                       num_keys, d_out);
  check_launch();
}

}  // namespace lab
