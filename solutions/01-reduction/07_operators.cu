// SPDX-License-Identifier: MIT
// Seven reductions, one kernel: 06 with two parameters, the arrays that it reads and the reduction.
// New: a reduction is a struct of four members: identity, map, combine and finish.
// Cost: that of 06, since the compiler knows every operator.
// Source: G. E. Blelloch, "Prefix Sums and Their Applications", 1990, for what an operator must be.
#include <algorithm>
#include <limits>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kThreadsPerBlock = 512;

// Blocks that have handed in their value. 0 between calls: the last block of each call wraps it.
__device__ unsigned int blocks_finished;

// Items 4 * i to 4 * i + 3 of an array.
__device__ void load_float4(const float* d_in, int i, float (&items)[4]) {
  const float4 vector = __ldcs(reinterpret_cast<const float4*>(d_in) + i);
  items[0] = vector.x;
  items[1] = vector.y;
  items[2] = vector.z;
  items[3] = vector.w;
}

// What a kernel reads: an item is one float, or one of each array. A thread loads kVectorsInFlight
// vectors, each with four items, at once: about four float4 loads are then under way.
struct OneArray {
  using Item = float;
  static constexpr int kVectorsInFlight = 4;
  const float* d_in;  // (num_items)

  __device__ float item(int i) const { return d_in[i]; }
  __device__ void load_vector(int i, float (&items)[4]) const { load_float4(d_in, i, items); }
};

struct Pair {
  float a, b;
};
struct TwoArrays {
  using Item = Pair;
  static constexpr int kVectorsInFlight = 2;
  const float* d_a;  // (num_items)
  const float* d_b;  // (num_items)

  __device__ Pair item(int i) const { return {d_a[i], d_b[i]}; }
  __device__ void load_vector(int i, Pair (&items)[4]) const {
    float a[4], b[4];
    load_float4(d_a, i, a);
    load_float4(d_b, i, b);
    for (int k = 0; k < 4; ++k) items[k] = {a[k], b[k]};
  }
};

struct Point {
  float x, y, z;
};
struct ThreeArrays {
  using Item = Point;
  static constexpr int kVectorsInFlight = 1;
  const float* d_x;  // (num_points)
  const float* d_y;  // (num_points)
  const float* d_z;  // (num_points)

  __device__ Point item(int i) const { return {d_x[i], d_y[i], d_z[i]}; }
  __device__ void load_vector(int i, Point (&items)[4]) const {
    float x[4], y[4], z[4];
    load_float4(d_x, i, x);
    load_float4(d_y, i, y);
    load_float4(d_z, i, z);
    for (int k = 0; k < 4; ++k) items[k] = {x[k], y[k], z[k]};
  }
};

// A reduction: finish(combine(combine(identity(), map(0, item 0)), map(1, item 1)), ...). combine
// is associative and commutative; combine(identity(), value) is value.
struct Sum {
  using Value = float;
  using Result = float;
  __device__ float identity() const { return 0.0f; }
  __device__ float map(int, float item) const { return item; }
  __device__ float combine(float a, float b) const { return a + b; }
  __device__ float finish(float value) const { return value; }
};

// The others differ from the sum in what they define again.
struct Min : Sum {
  __device__ float identity() const { return kInfinity; }
  __device__ float combine(float a, float b) const { return fminf(a, b); }
};
struct Max : Sum {
  __device__ float identity() const { return -kInfinity; }
  __device__ float combine(float a, float b) const { return fmaxf(a, b); }
};
struct Product : Sum {
  __device__ float identity() const { return 1.0f; }
  __device__ float combine(float a, float b) const { return a * b; }
};
struct Mean : Sum {
  int num_items;
  // Without items, 0 / 0 is NaN, as promised.
  __device__ float finish(float value) const { return value / static_cast<float>(num_items); }
};
struct DotProduct : Sum {
  __device__ float map(int, Pair item) const { return item.a * item.b; }
};
struct EuclideanNorm : Sum {
  __device__ float map(int, float item) const { return item * item; }
  __device__ float finish(float value) const { return sqrtf(value); }
};

// A point's squared distance from the origin, and its index; {-1, -1} stands for "no point".
struct Candidate {
  float distance2;
  int index;
};
struct FarthestPoint {
  using Value = Candidate;
  using Result = int;
  __device__ Candidate identity() const { return {-1.0f, -1}; }
  __device__ Candidate map(int index, Point point) const {
    const float distance2 = point.x * point.x + point.y * point.y + point.z * point.z;
    return distance2 >= 0.0f ? Candidate{distance2, index} : identity();  // a NaN: no point
  }
  // Ties go to the smaller index: otherwise the order would decide.
  __device__ Candidate combine(Candidate a, Candidate b) const {
    if (a.distance2 == b.distance2) return a.index < b.index ? a : b;
    return a.distance2 > b.distance2 ? a : b;
  }
  __device__ int finish(Candidate value) const { return value.index; }
};

__device__ float shuffle_down(float value, int offset) {
  return __shfl_down_sync(kFullWarp, value, offset);
}
__device__ Candidate shuffle_down(Candidate value, int offset) {  // a register at a time
  return {__shfl_down_sync(kFullWarp, value.distance2, offset),
          __shfl_down_sync(kFullWarp, value.index, offset)};
}

// Returns the warp's value in lane 0. All 32 lanes must call.
template <class Reduction>
__device__ typename Reduction::Value warp_reduce(typename Reduction::Value value,
                                                 Reduction reduction) {
  for (int offset = kWarpSize / 2; offset >= 1; offset /= 2) {
    value = reduction.combine(value, shuffle_down(value, offset));
  }
  return value;
}

// Returns the block's value in thread 0. All threads must call, with a barrier between two calls.
template <class Reduction>
__device__ typename Reduction::Value block_reduce(typename Reduction::Value value,
                                                  Reduction reduction) {
  constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
  __shared__ typename Reduction::Value warp_values[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;

  value = warp_reduce(value, reduction);
  if (lane_id == 0) warp_values[warp_id] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp_id == 0) {
    value = lane_id < kNumWarps ? warp_values[lane_id] : reduction.identity();
    value = warp_reduce(value, reduction);
  }
  return value;
}

// The value of items 4 * i to 4 * i + 3.
template <class Reduction, class Input>
__device__ typename Reduction::Value value_of_vector(Reduction reduction, Input input, int i) {
  typename Input::Item items[4];
  input.load_vector(i, items);
  return reduction.combine(
      reduction.combine(reduction.map(4 * i, items[0]), reduction.map(4 * i + 1, items[1])),
      reduction.combine(reduction.map(4 * i + 2, items[2]), reduction.map(4 * i + 3, items[3])));
}

// d_block_values (gridDim.x) is used if there are several blocks.
template <class Reduction, class Input>
__global__ void __launch_bounds__(kThreadsPerBlock)
    operator_kernel(Reduction reduction, Input input, int num_items,
                    typename Reduction::Value* d_block_values, typename Reduction::Result* d_out) {
  constexpr int kVectorsPerTile = kThreadsPerBlock * Input::kVectorsInFlight;
  const int num_vectors = num_items / 4;
  const int t = threadIdx.x;

  auto value = reduction.identity();
  int tile = blockIdx.x * kVectorsPerTile;
#pragma unroll 1
  for (; tile + kVectorsPerTile <= num_vectors; tile += gridDim.x * kVectorsPerTile) {
#pragma unroll
    for (int k = 0; k < Input::kVectorsInFlight; ++k) {
      value = reduction.combine(value,
                                value_of_vector(reduction, input, tile + k * kThreadsPerBlock + t));
    }
  }
#pragma unroll
  for (int k = 0; k < Input::kVectorsInFlight; ++k) {  // the last, partial tile is one block's
    const int vector = tile + k * kThreadsPerBlock + t;
    if (vector < num_vectors) {
      value = reduction.combine(value, value_of_vector(reduction, input, vector));
    }
  }
  if (blockIdx.x == 0 && t < num_items % 4) {  // the last 0 to 3 items fill no vector
    const int item = num_vectors * 4 + t;
    value = reduction.combine(value, reduction.map(item, input.item(item)));
  }
  value = block_reduce(value, reduction);
  if (gridDim.x == 1) {  // no block to wait for
    if (t == 0) d_out[0] = reduction.finish(value);
    return;
  }

  __shared__ bool is_last_block;
  if (t == 0) {
    d_block_values[blockIdx.x] = value;
    __threadfence();  // release: a block that sees the ticket drawn also sees the value
    const unsigned int ticket = atomicInc(&blocks_finished, gridDim.x - 1);  // wraps to 0
    __threadfence();  // acquire: the block with the last ticket sees all values
    is_last_block = ticket == gridDim.x - 1;
  }
  __syncthreads();  // is_last_block is set; and warp_values may be used again
  if (!is_last_block) return;

  const int num_blocks = gridDim.x;
  value = reduction.identity();
  for (int block = t; block < num_blocks; block += kThreadsPerBlock) {
    value = reduction.combine(value, d_block_values[block]);
  }
  value = block_reduce(value, reduction);
  if (t == 0) d_out[0] = reduction.finish(value);
}

template <class Reduction, class Input>
void reduce(Reduction reduction, Input input, int num_items, typename Reduction::Result* d_out,
            Scratch& scratch, cudaStream_t stream) {
  const int items_per_tile = kThreadsPerBlock * Input::kVectorsInFlight * 4;
  const auto kernel = operator_kernel<Reduction, Input>;
  const int most_blocks = max_resident_blocks(kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_items, items_per_tile), 1, most_blocks);
  auto* d_block_values = scratch.allocate<typename Reduction::Value>(num_blocks);
  kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(reduction, input, num_items, d_block_values,
                                                      d_out);
  check_launch();
}

}  // namespace

void reduce_min(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  reduce(Min{}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void reduce_max(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  reduce(Max{}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void reduce_product(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  reduce(Product{}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void reduce_mean(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  reduce(Mean{{}, num_items}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void dot_product(const float* d_a, const float* d_b, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  reduce(DotProduct{}, TwoArrays{d_a, d_b}, num_items, d_out, scratch, stream);
}

void euclidean_norm(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  reduce(EuclideanNorm{}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void farthest_point(const float* d_x, const float* d_y, const float* d_z, int num_points,
                    int* d_out, Scratch& scratch, cudaStream_t stream) {
  reduce(FarthestPoint{}, ThreeArrays{d_x, d_y, d_z}, num_points, d_out, scratch, stream);
}

}  // namespace lab
