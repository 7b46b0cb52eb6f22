// SPDX-License-Identifier: MIT
// Seven reductions, one kernel: 06 with two parameters, the arrays that it reads and the reduction.
// A reduction is a struct of four members: identity, map, combine and finish.
#include <algorithm>
#include <limits>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kThreadsPerBlock = 512;

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

// The others differ from the sum in what they define again: a struct that begins with `: Sum` has
// the members of Sum, except for those that it defines itself.
struct Min : Sum {
  // TODO 5. Which number never wins a comparison for the smallest? See reduction.cuh on NaN.
};
struct Max : Sum {
  // TODO 6. Is 0 the identity here? Try it on negative items.
};
struct Product : Sum {
  // TODO 7. Which number changes no product?
};
struct Mean : Sum {
  int num_items;
  // TODO 8. The sum, and then?
};
struct DotProduct : Sum {
  // TODO 9. An item is a Pair here. What is the value of one?
  __device__ float map(int, Pair) const { return 0.0f; }
};
struct EuclideanNorm : Sum {
  // TODO 10. Two members differ from the sum's. Which?
};

// A point's squared distance from the origin, and its index.
struct Candidate {
  float distance2;
  int index;
};
struct FarthestPoint {
  using Value = Candidate;
  using Result = int;
  // TODO 11. What is the value of a point, and which one is the identity? Which of two equally far
  //          points wins? See reduction.cuh on NaN.
  __device__ Candidate identity() const { return {0.0f, 0}; }
  __device__ Candidate map(int, Point) const { return identity(); }
  __device__ Candidate combine(Candidate a, Candidate) const { return a; }
  __device__ int finish(Candidate value) const { return value.index; }
};

__device__ float shuffle_down(float value, int offset) {
  return __shfl_down_sync(kFullWarp, value, offset);
}
__device__ Candidate shuffle_down(Candidate value, int) {
  // TODO 12. How do you shuffle a struct of two words?
  return value;
}

// Returns the warp's value in lane 0. All 32 lanes must call.
template <class Reduction>
__device__ typename Reduction::Value warp_reduce(typename Reduction::Value value,
                                                 Reduction reduction) {
  // TODO 1. Where does your 06 write 0.0f or +? Each such place becomes reduction.identity() or
  //         reduction.combine(a, b).
  return value;
}

// Returns the block's value in thread 0. All threads must call, with a barrier between two calls.
template <class Reduction>
__device__ typename Reduction::Value block_reduce(typename Reduction::Value value,
                                                  Reduction reduction) {
  // TODO 2. The same.
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

// Writes the reduction of all items to d_out[0]. d_block_values (gridDim.x) is for the blocks'
// values.
template <class Reduction, class Input>
__global__ void __launch_bounds__(kThreadsPerBlock)
    operator_kernel(Reduction reduction, Input input, int num_items,
                    typename Reduction::Value* d_block_values, typename Reduction::Result* d_out) {
  // TODO 3. Begin with your 06. Make it right with one item per load first:
  //         reduction.map(i, input.item(i)) is the value of item i.
  // TODO 4. Then load vectors, as in 06: value_of_vector(reduction, input, i) is the value of four
  //         items. Each thread loads Input::kVectorsInFlight vectors at once.
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

// Each function is complete once its reduction is: delete its todo then.

void reduce_min(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("07_operators: reduce_min");
  reduce(Min{}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void reduce_max(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("07_operators: reduce_max");
  reduce(Max{}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void reduce_product(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("07_operators: reduce_product");
  reduce(Product{}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void reduce_mean(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("07_operators: reduce_mean");
  reduce(Mean{{}, num_items}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void dot_product(const float* d_a, const float* d_b, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("07_operators: dot_product");
  reduce(DotProduct{}, TwoArrays{d_a, d_b}, num_items, d_out, scratch, stream);
}

void euclidean_norm(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("07_operators: euclidean_norm");
  reduce(EuclideanNorm{}, OneArray{d_in}, num_items, d_out, scratch, stream);
}

void farthest_point(const float* d_x, const float* d_y, const float* d_z, int num_points,
                    int* d_out, Scratch& scratch, cudaStream_t stream) {
  todo("07_operators: farthest_point");
  reduce(FarthestPoint{}, ThreeArrays{d_x, d_y, d_z}, num_points, d_out, scratch, stream);
}

}  // namespace lab
