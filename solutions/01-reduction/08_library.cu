// SPDX-License-Identifier: MIT
// The same by CUB, NVIDIA's library: you bring the items, the operator and its identity.
// New: temporary memory that the library asks for; an operator and a map of your own.
// Cost: one pass, and a second launch for the sums of the blocks, as in 04.
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <limits>

#include "lab/cuda_error.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Calls `call(d_temporary, size_bytes)` twice: with null, which only sets the size that the library
// needs, and with that much of scratch.
template <class Call>
void with_temporary(Scratch& scratch, const Call& call) {
  std::size_t size_bytes = 0;
  check(call(nullptr, size_bytes));
  check(call(scratch.allocate<char>(size_bytes), size_bytes));
}

// cub::DeviceReduce::Max compares with <: a NaN on the wrong side replaces the largest item.
struct Larger {
  __host__ __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Term i of a dot product.
struct Product {
  const float* d_a;  // (num_items)
  const float* d_b;  // (num_items)
  __host__ __device__ float operator()(int i) const { return d_a[i] * d_b[i]; }
};

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceReduce::Sum(d_temporary, size_bytes, d_in, d_out, num_items, stream);
  });
}

void reduce_max(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceReduce::Reduce(d_temporary, size_bytes, d_in, d_out, num_items, Larger{},
                                     -kInfinity, stream);
  });
}

void dot_product(const float* d_a, const float* d_b, int num_items, float* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  const thrust::counting_iterator<int> indices(0);  // 0, 1, 2, ...: an array that is nowhere
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceReduce::TransformReduce(d_temporary, size_bytes, indices, d_out, num_items,
                                              cuda::std::plus<>{}, Product{d_a, d_b}, 0.0f, stream);
  });
}

}  // namespace lab
