// SPDX-License-Identifier: MIT
// style: a monoid with operator+, added down a tree of shuffles of whole structs, and broadcast by
// shared memory
#include <cfloat>
#include <cstring>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kThreads = 256;

struct Sum {
  float largest;
  float sum;
  __device__ Sum& operator+=(const Sum& other) {
    const float both = fmaxf(largest, other.largest);
    sum = sum * __expf(largest - both) + other.sum * __expf(other.largest - both);
    largest = both;
    return *this;
  }
};

__device__ Sum nothing() { return {-FLT_MAX, 0.0f}; }

// A struct of 8 bytes travels as one word.
__device__ Sum shuffle_down(const Sum& own, int distance) {
  long long bits;
  std::memcpy(&bits, &own, sizeof bits);
  bits = __shfl_down_sync(~0u, bits, distance);
  Sum result;
  std::memcpy(&result, &bits, sizeof bits);
  return result;
}

__device__ Sum add_lanes(Sum own) {
  for (int distance = 16; distance > 0; distance >>= 1) own += shuffle_down(own, distance);
  return own;  // in lane 0
}

__global__ void __launch_bounds__(kThreads)
    online_kernel(const float* d_in, int row_length, float* d_out) {
  __shared__ Sum warps[kThreads / 32];
  __shared__ Sum row;
  const float* const d_row = d_in + blockIdx.x * row_length;
  Sum own = nothing();
  for (int i = threadIdx.x; i < row_length; i += kThreads) own += {d_row[i], 1.0f};
  own = add_lanes(own);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x < 32) {
    own = add_lanes(threadIdx.x < kThreads / 32 ? warps[threadIdx.x] : nothing());
    if (threadIdx.x == 0) row = own;
  }
  __syncthreads();
  const auto [largest, sum] = row;
  for (int i = threadIdx.x; i < row_length; i += kThreads) {
    d_out[blockIdx.x * row_length + i] = expf(d_row[i] - largest) / sum;
  }
}

}  // namespace

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  if (num_rows == 0 || row_length == 0) return;
  online_kernel<<<num_rows, kThreads, 0, stream>>>(d_in, row_length, d_out);
  check_launch();
}

}  // namespace lab
