// SPDX-License-Identifier: MIT
// Seven reductions, one kernel: 06 with its four choices made parameters (see `reduce` below).
// New: map, operator, identity and finish as types; the speed stays that of 06.
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

// float4 loads of each array that a thread has under way: about four in all.
template <int kNumArrays>
constexpr int kVectorsInFlightOf = kNumArrays > 2 ? 1 : 4 / kNumArrays;

// Blocks that have handed in their value. 0 between calls: the last block of each call wraps it.
__device__ unsigned int blocks_finished;

// A point's squared distance from the origin, and its index; {-1, -1} stands for "no point".
struct Candidate {
  float distance2;
  int index;
};
constexpr Candidate kNoPoint = {-1.0f, -1};

// Maps.
struct Item {
  __device__ float operator()(int, float item) const { return item; }
};
struct Square {
  __device__ float operator()(int, float item) const { return item * item; }
};
struct Product {
  __device__ float operator()(int, float a, float b) const { return a * b; }
};
struct Distance {
  __device__ Candidate operator()(int index, float x, float y, float z) const {
    const float distance2 = x * x + y * y + z * z;
    return distance2 >= 0.0f ? Candidate{distance2, index} : kNoPoint;  // a NaN: no point
  }
};

// Operators.
struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Multiply {
  __device__ float operator()(float a, float b) const { return a * b; }
};
struct Min {
  __device__ float operator()(float a, float b) const { return fminf(a, b); }
};
struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Farther {  // ties go to the smaller index: otherwise the order would decide
  __device__ Candidate operator()(Candidate a, Candidate b) const {
    if (a.distance2 == b.distance2) return a.index < b.index ? a : b;
    return a.distance2 > b.distance2 ? a : b;
  }
};

// Finishes.
struct Unchanged {
  __device__ float operator()(float value) const { return value; }
};
struct SquareRoot {
  __device__ float operator()(float value) const { return sqrtf(value); }
};
struct DivideBy {
  float divisor;
  __device__ float operator()(float value) const { return value / divisor; }
};
struct Index {
  __device__ int operator()(Candidate value) const { return value.index; }
};

__device__ float shuffle_down(float value, int offset) {
  return __shfl_down_sync(kFullWarp, value, offset);
}
__device__ Candidate shuffle_down(Candidate value, int offset) {  // a register at a time
  return {__shfl_down_sync(kFullWarp, value.distance2, offset),
          __shfl_down_sync(kFullWarp, value.index, offset)};
}

// Returns the warp's value in lane 0. All 32 lanes must call.
template <class T, class Combine>
__device__ T warp_reduce(T value, Combine combine) {
  for (int offset = kWarpSize / 2; offset >= 1; offset /= 2) {
    value = combine(value, shuffle_down(value, offset));
  }
  return value;
}

// Returns the block's value in thread 0. All threads must call, with a barrier between two calls.
template <class T, class Combine>
__device__ T block_reduce(T value, Combine combine, T identity) {
  constexpr int kNumWarps = kThreadsPerBlock / kWarpSize;
  __shared__ T warp_values[kNumWarps];
  const int lane_id = threadIdx.x % kWarpSize;
  const int warp_id = threadIdx.x / kWarpSize;

  value = warp_reduce(value, combine);
  if (lane_id == 0) warp_values[warp_id] = value;
  __syncthreads();  // the first warp reads what all warps wrote
  if (warp_id == 0) {
    value = warp_reduce(lane_id < kNumWarps ? warp_values[lane_id] : identity, combine);
  }
  return value;
}

// Maps four neighbouring items, one float4 of each array, and combines the four values.
template <class Map, class Combine, class... Vectors>
__device__ auto map_vector(Map map, Combine combine, int first_item, Vectors... vectors) {
  return combine(combine(map(first_item, vectors.x...), map(first_item + 1, vectors.y...)),
                 combine(map(first_item + 2, vectors.z...), map(first_item + 3, vectors.w...)));
}

// num_items items of each array; d_block_values (gridDim.x) is used if there are several blocks.
template <class Map, class Combine, class T, class Finish, class Result, class... Floats>
__global__ void __launch_bounds__(kThreadsPerBlock)
    operator_kernel(Map map, Combine combine, T identity, Finish finish, int num_items,
                    T* d_block_values, Result* d_out, const Floats*... d_arrays) {
  constexpr int kVectorsInFlight = kVectorsInFlightOf<sizeof...(Floats)>;
  constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;
  const int num_vectors = num_items / 4;
  const int t = threadIdx.x;
  const auto mapped_vector = [&](int vector) {
    return map_vector(map, combine, 4 * vector,
                      __ldcs(reinterpret_cast<const float4*>(d_arrays) + vector)...);
  };

  T value = identity;
  int tile = blockIdx.x * kVectorsPerTile;
#pragma unroll 1
  for (; tile + kVectorsPerTile <= num_vectors; tile += gridDim.x * kVectorsPerTile) {
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) {
      value = combine(value, mapped_vector(tile + k * kThreadsPerBlock + t));
    }
  }
#pragma unroll
  for (int k = 0; k < kVectorsInFlight; ++k) {  // the last, partial tile is one block's
    const int vector = tile + k * kThreadsPerBlock + t;
    if (vector < num_vectors) value = combine(value, mapped_vector(vector));
  }
  if (blockIdx.x == 0 && t < num_items % 4) {  // the last 0 to 3 items fill no vector
    const int item = num_vectors * 4 + t;
    value = combine(value, map(item, d_arrays[item]...));
  }
  value = block_reduce(value, combine, identity);
  if (gridDim.x == 1) {  // no block to wait for
    if (t == 0) d_out[0] = finish(value);
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
  value = identity;
  for (int block = t; block < num_blocks; block += kThreadsPerBlock) {
    value = combine(value, d_block_values[block]);
  }
  value = block_reduce(value, combine, identity);
  if (t == 0) d_out[0] = finish(value);
}

// Reduces num_items items of each of d_arrays to d_out[0], in one launch.
//   map      (index, item of each array) -> value
//   combine  (value, value) -> value, associative and commutative
//   identity the value that changes nothing: combine(identity, value) is value
//   finish   value -> result
template <class Map, class Combine, class T, class Finish, class Result, class... Floats>
void reduce(Map map, Combine combine, T identity, Finish finish, int num_items, Result* d_out,
            Scratch& scratch, cudaStream_t stream, const Floats*... d_arrays) {
  const int items_per_tile = kThreadsPerBlock * kVectorsInFlightOf<sizeof...(Floats)> * 4;
  const auto kernel = operator_kernel<Map, Combine, T, Finish, Result, Floats...>;
  const int most_blocks = max_resident_blocks(kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_items, items_per_tile), 1, most_blocks);
  T* d_block_values = scratch.allocate<T>(num_blocks);
  kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(map, combine, identity, finish, num_items,
                                                      d_block_values, d_out, d_arrays...);
  check_launch();
}

}  // namespace

void reduce_min(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  reduce(Item{}, Min{}, kInfinity, Unchanged{}, num_items, d_out, scratch, stream, d_in);
}

void reduce_max(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  reduce(Item{}, Max{}, -kInfinity, Unchanged{}, num_items, d_out, scratch, stream, d_in);
}

void reduce_product(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  reduce(Item{}, Multiply{}, 1.0f, Unchanged{}, num_items, d_out, scratch, stream, d_in);
}

void reduce_mean(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  const DivideBy finish{static_cast<float>(num_items)};  // no items: 0 / 0 is NaN, as promised
  reduce(Item{}, Add{}, 0.0f, finish, num_items, d_out, scratch, stream, d_in);
}

void dot_product(const float* d_a, const float* d_b, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  reduce(Product{}, Add{}, 0.0f, Unchanged{}, num_items, d_out, scratch, stream, d_a, d_b);
}

void euclidean_norm(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  reduce(Square{}, Add{}, 0.0f, SquareRoot{}, num_items, d_out, scratch, stream, d_in);
}

void farthest_point(const float* d_x, const float* d_y, const float* d_z, int num_points,
                    int* d_out, Scratch& scratch, cudaStream_t stream) {
  reduce(Distance{}, Farther{}, kNoPoint, Index{}, num_points, d_out, scratch, stream, d_x, d_y,
         d_z);
}

}  // namespace lab
