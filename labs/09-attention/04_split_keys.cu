// SPDX-License-Identifier: MIT
// Blocks divide the keys of few queries. Each writes a part of each output; a second kernel joins
// the parts by the rule of the online softmax.
// Source: Dao, Haziza, Massa and Sizov, "Flash-Decoding for long-context inference", 2023.
#include <cfloat>

#include "attention.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kWarpSize = 32;
constexpr int kVectors = kHeadSize / 4;
constexpr int kLanes = 16;                 // that share a key
constexpr int kShare = kVectors / kLanes;  // vectors of a lane
constexpr int kQueries = 4;                // of a block
constexpr int kWarps = 4;                  // of a block
constexpr int kThreads = kWarps * kWarpSize;
constexpr int kGroups = kThreads / kLanes;  // each has every 8th key
constexpr float kScale = 0.12751743f;       // log2(e) / sqrt(kHeadSize)

// Of some keys: their largest score, and the sum of all 2^(score - largest).
struct Normalizer {
  float largest;
  float sum;
};

__device__ void add_scaled(float4& sum, float weight, const float4& v) {
  sum.x = fmaf(weight, v.x, sum.x);
  sum.y = fmaf(weight, v.y, sum.y);
  sum.z = fmaf(weight, v.z, sum.z);
  sum.w = fmaf(weight, v.w, sum.w);
}

__device__ float4 scaled(const float4& v, float factor) {
  return make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
}

__device__ float dot(const float4& a, const float4& b, float sum) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

// One query's sums over the keys of a lane's group; a lane has some elements of the output.
struct Part {
  Normalizer all{-FLT_MAX, 0};
  float4 output[kShare] = {};

  // Makes the sums relative to a maximum that is at least as large.
  __device__ void raise(float largest) {
    // TODO 1. By what are the sum and the output multiplied? What if the part has seen no key?
  }

  __device__ void add(float score, const float4 (&values)[kShare]) {
    // TODO 2. One key more.
  }

  // Joins the parts of the lanes that differ in the bits of `mask`.
  __device__ void join_lanes(int mask) {
    // TODO 3. Two lanes exchange what they have. In which order: the maxima first, or the sums?
  }
};

// One vector of an output, joined from `count` parts that lie `stride` rows apart.
struct Joined {
  Normalizer all{-FLT_MAX, 0};
  float4 output = make_float4(0, 0, 0, 0);
};
__device__ Joined join_rows(const Normalizer* normalizers, const float4* outputs, int count,
                            int stride) {
  Joined joined;
  // TODO 4. Part i is normalizers[i * stride] and outputs[i * stride * kVectors]. To which of the
  //         maxima are all parts raised?
  return joined;
}

// Parts of all outputs, by split and then by row: an output of a head.
struct Parts {
  Normalizer* normalizers;  // (num_splits, num_rows)
  float4* outputs;          // (num_splits, num_rows, kVectors)
};

__global__ void __launch_bounds__(kThreads)
    split_kernel(const float* d_q, const float* d_k, const float* d_v, int num_queries,
                 int num_keys, int keys_per_split, Parts parts) {
  __shared__ Normalizer normalizers[kWarps][kQueries];
  __shared__ float4 outputs[kWarps][kQueries][kVectors];
  const int split = blockIdx.x;
  const int first_query = blockIdx.y * kQueries;
  const std::size_t head = blockIdx.z;
  const int lane = threadIdx.x % kLanes;
  const auto* const q = reinterpret_cast<const float4*>(d_q) +  //
                        (head * num_queries + first_query) * kVectors;
  const auto* const k = reinterpret_cast<const float4*>(d_k) + head * num_keys * kVectors;
  const auto* const v = reinterpret_cast<const float4*>(d_v) + head * num_keys * kVectors;

  float4 queries[kQueries][kShare] = {};  // zeros past the last query
#pragma unroll
  for (int i = 0; i < kQueries; ++i) {
    if (first_query + i >= num_queries) continue;
#pragma unroll
    for (int j = 0; j < kShare; ++j) {
      queries[i][j] = scaled(q[i * kVectors + j * kLanes + lane], kScale);
    }
  }

  Part mine[kQueries];
  // TODO 5. Group threadIdx.x / kLanes has every kGroups-th key of the split. Load 2 vectors of a
  //         key and 2 of its value before you use them. All 32 lanes must reach the shuffles that
  //         add up a score: what does a group do past the last key?
  // TODO 6. Join the groups of each warp, and put the warps' parts into shared memory.

  // One warp per query now.
  const int warp_id = threadIdx.x / kWarpSize;
  const int query = first_query + warp_id;
  if (query >= num_queries) return;
  const int lane_id = threadIdx.x % kWarpSize;
  const Joined joined =
      join_rows(&normalizers[0][warp_id], &outputs[0][warp_id][lane_id], kWarps, kQueries);
  const std::size_t num_rows = std::size_t{gridDim.z} * num_queries;
  const std::size_t row = split * num_rows + head * num_queries + query;
  if (lane_id == 0) parts.normalizers[row] = joined.all;
  parts.outputs[row * kVectors + lane_id] = joined.output;
}
static_assert(kQueries == kWarps && kVectors == kWarpSize, "a warp joins the parts of a query");

// One warp per row: an output of a head.
__global__ void __launch_bounds__(kThreads)
    join_kernel(Parts parts, int num_splits, int num_rows, float* d_out) {
  const int row = blockIdx.x * kWarps + threadIdx.x / kWarpSize;
  if (row >= num_rows) return;
  const int lane_id = threadIdx.x % kWarpSize;
  const std::size_t vector = std::size_t{1} * row * kVectors + lane_id;
  const Joined joined =
      join_rows(parts.normalizers + row, parts.outputs + vector, num_splits, num_rows);
  reinterpret_cast<float4*>(d_out)[vector] = scaled(joined.output, 1 / joined.all.sum);
}

}  // namespace

void attention(const float* d_q, const float* d_k, const float* d_v, int num_heads, int num_queries,
               int num_keys, float* d_out, Scratch& scratch, cudaStream_t stream) {
  todo("04_split_keys: write the kernels, then delete this line");

  if (num_heads == 0 || num_queries == 0) return;  // a grid of 0 blocks is an error
  // TODO 7. How many splits? Compare the blocks of one split with max_resident_blocks. Which limits
  //         are there from above?
  const int num_splits = 1;
  const int keys_per_split = ceil_div(num_keys, num_splits);

  const int num_rows = num_heads * num_queries;
  const std::size_t num_parts = std::size_t{1} * num_splits * num_rows;
  const Parts parts{scratch.allocate<Normalizer>(num_parts),
                    scratch.allocate<float4>(num_parts * kVectors)};
  const dim3 grid(num_splits, ceil_div(num_queries, kQueries), num_heads);
  split_kernel<<<grid, kThreads, 0, stream>>>(d_q, d_k, d_v, num_queries, num_keys, keys_per_split,
                                              parts);
  check_launch();
  join_kernel<<<ceil_div(num_rows, kWarps), kThreads, 0, stream>>>(parts, num_splits, num_rows,
                                                                   d_out);
  check_launch();
}

}  // namespace lab
