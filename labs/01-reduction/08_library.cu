// SPDX-License-Identifier: MIT
// The same by CUB, NVIDIA's library: you bring the items, the operator and its identity.
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <limits>

#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

// Calls a function of CUB, `call(d_temporary, size_bytes)`.
template <class Call>
void with_temporary(Scratch& scratch, const Call& call) {
  std::size_t size_bytes = 0;
  // TODO 1. With nullptr for d_temporary, a call only sets size_bytes: nothing is launched. Then
  //         call again, with that much of scratch. Both calls return an error code: check() it.
}

// Term i of a dot product.
struct Product {
  const float* d_a;  // (num_items)
  const float* d_b;  // (num_items)
  __host__ __device__ float operator()(int i) const { return d_a[i] * d_b[i]; }
};

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("08_library: reduce_sum");
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    // TODO 2. cub::DeviceReduce::Sum. What happens if you leave out its last parameter?
    return cudaSuccess;
  });
}

void reduce_max(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("08_library: reduce_max");
  // TODO 3. cub::DeviceReduce::Max compares with <. What does the contract say about NaN, and about
  //         no items? Use cub::DeviceReduce::Reduce, with a struct like Product for the operator.
}

void dot_product(const float* d_a, const float* d_b, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  todo("08_library: dot_product");
  // TODO 4. cub::DeviceReduce::TransformReduce applies Product to the items of
  //         thrust::counting_iterator<int>(0): 0, 1, 2, ... How many bytes per item would an array
  //         of the products cost?
}

}  // namespace lab
