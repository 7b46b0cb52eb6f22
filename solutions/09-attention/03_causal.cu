// SPDX-License-Identifier: MIT
// Causal attention: query i has only the keys 0 to i. Tiles above the diagonal are not visited, and
// only the tile on the diagonal asks which of its scores count.
// New: half of the tiles, and blocks with the most tiles start first. Limit: as in 02.
#include <cfloat>

#include "attention.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

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

// One vector more than a row needs: then eight neighbouring rows have different banks.
struct Shared {
  float4 queries[kTile][kVectors];
  float4 keys[kTile][kVectors + 1];  // then the values, in the same place
  float4 weights[kTile][kTile / 4 + 1];
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
    causal_kernel(const float* d_q, const float* d_k, const float* d_v, int length, float* d_out) {
  extern __shared__ float4 shared_words[];
  Shared& shared = *reinterpret_cast<Shared*>(shared_words);
  const std::size_t head = blockIdx.y;
  const int first_query = (gridDim.x - 1 - blockIdx.x) * kTile;  // the longest rows first
  const int column = threadIdx.x % kAcross;
  const int first_row = threadIdx.x / kAcross * kRows;
  const std::size_t first_output = (head * length + first_query) * kHeadSize;

  copy(shared.queries, d_q + first_output, length - first_query, kScale);

  float largest[kRows];
  float sums[kRows] = {};  // of this thread's keys
  float4 outputs[kRows][kColumns] = {};
  for (float& value : largest) value = -FLT_MAX;

  for (int first_key = 0; first_key <= first_query; first_key += kTile) {
    const std::size_t first_element = (head * length + first_key) * kHeadSize;
    const int keys_left = length - first_key;
    __syncthreads();  // all have used the values of the tile before
    copy(shared.keys, d_k + first_element, keys_left, 1.0f);
    __syncthreads();  // the keys, and before the first tile the queries, are there

    float scores[kRows][kKeys] = {};
#pragma unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float4 keys[kKeys];
#pragma unroll
      for (int j = 0; j < kKeys; ++j) keys[j] = shared.keys[column + j * kAcross][v];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const float4 query = shared.queries[first_row + i][v];
#pragma unroll
        for (int j = 0; j < kKeys; ++j) scores[i][j] = dot(query, keys[j], scores[i][j]);
      }
    }

#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      float tile_largest = -INFINITY;
#pragma unroll
      for (int j = 0; j < kKeys; ++j) {
        // Keys past the last one come after all queries, too.
        const bool is_later = column + j * kAcross > first_row + i;
        if (first_key == first_query && is_later) scores[i][j] = -INFINITY;  // a weight of 0
        tile_largest = fmaxf(tile_largest, scores[i][j]);
      }
      tile_largest = row_reduce(tile_largest, [](float a, float b) { return fmaxf(a, b); });
      // What was added so far is relative to the old maximum.
      const float new_largest = fmaxf(largest[i], tile_largest);
      const float correction = exp2f(largest[i] - new_largest);
      largest[i] = new_largest;
      sums[i] *= correction;
#pragma unroll
      for (float4& output : outputs[i]) {
        output = make_float4(output.x * correction, output.y * correction, output.z * correction,
                             output.w * correction);
      }
      auto* const weights = reinterpret_cast<float*>(shared.weights[first_row + i]);
#pragma unroll
      for (int j = 0; j < kKeys; ++j) {
        const float weight = exp2f(scores[i][j] - new_largest);
        sums[i] += weight;
        weights[column + j * kAcross] = weight;
      }
    }

    __syncthreads();  // all have used the keys
    copy(shared.keys, d_v + first_element, keys_left, 1.0f);
    __syncthreads();  // the values and the weights are there
#pragma unroll 2
    for (int key = 0; key < kTile; key += 4) {
      float4 weights[kRows];
#pragma unroll
      for (int i = 0; i < kRows; ++i) weights[i] = shared.weights[first_row + i][key / 4];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        const float4* const values = &shared.keys[key][column + j * kAcross];
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
          add_scaled(outputs[i][j], weights[i].x, values[0]);
          add_scaled(outputs[i][j], weights[i].y, values[kVectors + 1]);
          add_scaled(outputs[i][j], weights[i].z, values[2 * (kVectors + 1)]);
          add_scaled(outputs[i][j], weights[i].w, values[3 * (kVectors + 1)]);
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const float scale = 1 / row_reduce(sums[i], [](float a, float b) { return a + b; });
    if (first_query + first_row + i >= length) continue;
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

void causal_attention(const float* d_q, const float* d_k, const float* d_v, int num_heads,
                      int length, float* d_out, Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_heads == 0 || length == 0) return;  // a grid of 0 blocks is an error
  check(cudaFuncSetAttribute(causal_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const dim3 grid(ceil_div(length, kTile), num_heads);
  causal_kernel<<<grid, kThreads, sizeof(Shared), stream>>>(d_q, d_k, d_v, length, d_out);
  check_launch();
}

}  // namespace lab
