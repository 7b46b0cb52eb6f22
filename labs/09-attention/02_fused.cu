// SPDX-License-Identifier: MIT
// A block keeps a maximum, a sum and an output per query, of all keys so far: the online softmax of
// lab 07, for vectors. No score leaves the block, so memory is linear.
// Source: Dao, Fu, Ermon, Rudra and Re, "FlashAttention", NeurIPS 2022.
#include <cfloat>

#include "attention.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kTile = 64;  // queries of a block, and keys of a step
constexpr int kVectors = kHeadSize / 4;
constexpr int kAcross = 16;                   // threads that share a row of the tile: half a warp
constexpr int kRows = 4;                      // of a thread
constexpr int kKeys = kTile / kAcross;        // of a thread, in a row of scores
constexpr int kColumns = kVectors / kAcross;  // of a thread, in a row of outputs, in vectors
constexpr int kThreads = kTile / kRows * kAcross;
constexpr float kScale = 0.12751743f;  // log2(e) / sqrt(kHeadSize): powers of 2, not of e

// TODO 1. In which banks are the vectors that 8 neighbouring threads read of 8 neighbouring keys?
//         And the weights that a warp writes to two rows, four rows apart?
struct Shared {
  float4 queries[kTile][kVectors];
  float4 keys[kTile][kVectors];  // then the values, in the same place
  float4 weights[kTile][kTile / 4];
};

// Copies 64 rows of an array that ends after num_rows; zeros past its end.
template <int kStride>
__device__ void copy(float4 (&tile)[kTile][kStride], const float* d_rows, int num_rows,
                     float factor) {
#pragma unroll
  for (int i = threadIdx.x; i < kTile * kVectors; i += kThreads) {
    const int row = i / kVectors;
    float4 v = make_float4(0, 0, 0, 0);
    if (row < num_rows) v = reinterpret_cast<const float4*>(d_rows)[i];
    tile[row][i % kVectors] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
  }
}

__device__ float dot(const float4& a, const float4& b, float sum) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

__device__ void add_scaled(float4& sum, float weight, const float4& v) {
  sum.x = fmaf(weight, v.x, sum.x);
  sum.y = fmaf(weight, v.y, sum.y);
  sum.z = fmaf(weight, v.z, sum.z);
  sum.w = fmaf(weight, v.w, sum.w);
}

// Of the 16 threads that share a row; all of them receive it.
template <class Combine>
__device__ float row_reduce(float mine, Combine combine) {
  for (int mask = kAcross / 2; mask >= 1; mask /= 2) {
    mine = combine(mine, __shfl_xor_sync(kFullWarp, mine, mask));
  }
  return mine;
}

__global__ void __launch_bounds__(kThreads, 2)
    fused_kernel(const float* d_q, const float* d_k, const float* d_v, int num_queries,
                 int num_keys, float* d_out) {
  extern __shared__ float4 shared_words[];
  Shared& shared = *reinterpret_cast<Shared*>(shared_words);
  const std::size_t head = blockIdx.y;
  const int first_query = blockIdx.x * kTile;
  const int column = threadIdx.x % kAcross;
  const int first_row = threadIdx.x / kAcross * kRows;
  const std::size_t first_output = (head * num_queries + first_query) * kHeadSize;

  copy(shared.queries, d_q + first_output, num_queries - first_query, kScale);

  float largest[kRows];
  float sums[kRows] = {};  // of this thread's keys
  float4 outputs[kRows][kColumns] = {};
  // TODO 2. What is the largest score before the first key?

  for (int first_key = 0; first_key < num_keys; first_key += kTile) {
    // TODO 3. Copy the keys. This thread's scores are those of its kRows rows with the keys column,
    //         column + 16, and so on. Which barriers does a tile need?
    // TODO 4. The last tile may have fewer keys. What is the score of a key that does not exist?
    // TODO 5. For each row the new largest score, of all 16 threads. What must happen to `sums` and
    //         `outputs` if it has grown? Then weights replace scores; write them to shared memory.
    // TODO 6. Copy the values. Outputs are the product of weights and values: which vectors of a
    //         value are this thread's? Read 4 weights at a time.
  }

#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const float scale = 1;  // TODO 7. The sum belongs to all 16 threads of the row.
    if (first_query + first_row + i >= num_queries) continue;
    auto* const d_row =
        reinterpret_cast<float4*>(d_out + first_output) + (first_row + i) * kVectors;
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const float4 output = outputs[i][j];
      d_row[column + j * kAcross] =
          make_float4(output.x * scale, output.y * scale, output.z * scale, output.w * scale);
    }
  }
}

}  // namespace

void attention(const float* d_q, const float* d_k, const float* d_v, int num_heads, int num_queries,
               int num_keys, float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  todo("02_fused: write the kernel, then delete this line");

  if (num_heads == 0 || num_queries == 0) return;  // a grid of 0 blocks is an error
  check(cudaFuncSetAttribute(fused_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const dim3 grid(ceil_div(num_queries, kTile), num_heads);
  fused_kernel<<<grid, kThreads, sizeof(Shared), stream>>>(d_q, d_k, d_v, num_queries, num_keys,
                                                           d_out);
  check_launch();
}

}  // namespace lab
