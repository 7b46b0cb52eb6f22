// SPDX-License-Identifier: MIT
// Seven reductions, one kernel: 06 with its four choices made parameters.
//   map      (item's index, item of each input array) -> value
//   combine  (value, value) -> value, associative and commutative
//   identity the value that changes nothing;   finish  value -> result
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

constexpr int kThreadsPerBlock = 512;

// Writes finish(all mapped items combined) to d_out[0]. d_arrays: one or more arrays (num_items).
template <class Map, class Combine, class T, class Finish, class Result, class... Floats>
__global__ void operator_kernel(Map map, Combine combine, T identity, Finish finish, int num_items,
                                T* d_block_values, Result* d_out, const Floats*... d_arrays) {
  // TODO 1. Begin with your 06. `d_arrays[item]...` lists the item of every array, so
  //         map(item, d_arrays[item]...) is the value of an item.
  // TODO 2. Where does 06 write 0.0f or +? Each such place becomes `identity` or `combine`.
  // TODO 3. How do you shuffle a value that is a struct of two words?
  // TODO 4. Make it right with one item per load first; then load vectors, as in 06.
}

template <class Map, class Combine, class T, class Finish, class Result, class... Floats>
void reduce(Map map, Combine combine, T identity, Finish finish, int num_items, Result* d_out,
            Scratch& scratch, cudaStream_t stream, const Floats*... d_arrays) {
  // TODO 5. The grid of your 06.
  const auto kernel = operator_kernel<Map, Combine, T, Finish, Result, Floats...>;
  const int num_blocks = max_resident_blocks(kernel, kThreadsPerBlock);
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
  // TODO. Two arrays: the map sees one item of each.
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_items, d_out, scratch, stream, d_a, d_b);
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
  // TODO. A value is now a struct of your own: a distance and an index. Which one stands for
  // "no point"? If two points are equally far, does your operator return the same one whichever
  // comes first?
  reduce(Item{}, Add{}, 0.0f, Unchanged{}, num_points, d_out, scratch, stream, d_x, d_y, d_z);
}

}  // namespace lab
