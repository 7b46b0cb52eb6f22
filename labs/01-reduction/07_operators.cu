// SPDX-License-Identifier: MIT
// Seven reductions, one kernel: 06 with its four choices made parameters.
//   map      (item's index, item of each input array) -> value
//   combine  (value, value) -> value, associative and commutative
//   identity the value that changes nothing;   finish  value -> result
#include <algorithm>
#include <limits>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "reduction.cuh"

namespace lab {

// The four choices for a plain sum. Write the others next to them.
struct Item {
  __device__ float operator()(int, float item) const { return item; }
};
struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Unchanged {
  __device__ float operator()(float value) const { return value; }
};

namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kThreadsPerBlock = 512;

// float4 loads of each array that a thread has under way: about four in all.
template <int kNumArrays>
constexpr int kVectorsInFlightOf = kNumArrays > 2 ? 1 : 4 / kNumArrays;

// A point's squared distance from the origin, and its index.
struct Candidate {
  float distance2;
  int index;
};

__device__ float shuffle_down(float value, int offset) {
  return __shfl_down_sync(kFullWarp, value, offset);
}
// TODO 1. How do you shuffle a Candidate, a struct of two words? Write a second shuffle_down.

// Returns the warp's value in lane 0. All 32 lanes must call.
template <class T, class Combine>
__device__ T warp_reduce(T value, Combine combine) {
  // TODO 2. Where does your 06 write 0.0f or +? Each such place becomes `identity` or `combine`.
  return value;
}

// Returns the block's value in thread 0. All threads must call, with a barrier between two calls.
template <class T, class Combine>
__device__ T block_reduce(T value, Combine combine, T identity) {
  // TODO 3. The same.
  return value;
}

// Maps four neighbouring items, one float4 of each array, and combines the four values.
template <class Map, class Combine, class... Vectors>
__device__ auto map_vector(Map map, Combine combine, int first_item, Vectors... vectors) {
  return combine(combine(map(first_item, vectors.x...), map(first_item + 1, vectors.y...)),
                 combine(map(first_item + 2, vectors.z...), map(first_item + 3, vectors.w...)));
}

// Writes finish(all mapped items combined) to d_out[0]. d_arrays: one or more arrays (num_items).
template <class Map, class Combine, class T, class Finish, class Result, class... Floats>
__global__ void __launch_bounds__(kThreadsPerBlock)
    operator_kernel(Map map, Combine combine, T identity, Finish finish, int num_items,
                    T* d_block_values, Result* d_out, const Floats*... d_arrays) {
  // TODO 4. Begin with your 06. `d_arrays[item]...` lists the item of every array, so
  //         map(item, d_arrays[item]...) is the value of an item. Make it right with one item per
  //         load first.
  // TODO 5. Then load vectors, as in 06. This is the value of the four items of a vector:
  constexpr int kVectorsInFlight = kVectorsInFlightOf<sizeof...(Floats)>;
  const auto mapped_vector = [&](int vector) {
    return map_vector(map, combine, 4 * vector,
                      __ldcs(reinterpret_cast<const float4*>(d_arrays) + vector)...);
  };
}

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

// Replace in each function what does not fit (map, operator, identity, finish) and delete the todo.

void reduce_min(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("07_operators: reduce_min");
  // TODO. Which number never wins a comparison for the smallest? See reduction.cuh on NaN.
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_items, d_out, scratch, stream, d_in);
}

void reduce_max(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("07_operators: reduce_max");
  // TODO. Is 0 the identity here? Try it on negative items.
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_items, d_out, scratch, stream, d_in);
}

void reduce_product(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("07_operators: reduce_product");
  // TODO. Which number changes no product?
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_items, d_out, scratch, stream, d_in);
}

void reduce_mean(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("07_operators: reduce_mean");
  // TODO. The sum, and then? What must your finish know, and how does it get it?
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_items, d_out, scratch, stream, d_in);
}

void dot_product(const float* d_a, const float* d_b, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("07_operators: dot_product");
  // TODO. Two arrays: reduce takes both, and the map sees one item of each.
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_items, d_out, scratch, stream, d_a);
}

void euclidean_norm(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("07_operators: euclidean_norm");
  // TODO. Where does the square go, and where the root?
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_items, d_out, scratch, stream, d_in);
}

void farthest_point(const float* d_x, const float* d_y, const float* d_z, int num_points,
                    int* d_out, Scratch& scratch, cudaStream_t stream) {
  todo("07_operators: farthest_point");
  // TODO. Three arrays. A value is now a Candidate: a distance and an index. Which one stands for
  // "no point"? If two points are equally far, does your operator return the same one whichever
  // comes first?
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_points, d_out, scratch, stream, d_x);
}

}  // namespace lab
