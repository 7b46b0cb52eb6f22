// SPDX-License-Identifier: MIT
// style: chooses by pointers to members, of data and of functions
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

struct Item {
  float value;
  float none;

  __device__ float same(float factor) const { return factor * value; }
  __device__ float negated(float factor) const { return -factor * value; }
};

template <float (Item::*kFunction)(float) const>
__device__ float called(const Item& item) {
  return (item.*kFunction)(1);
}

__global__ void add_kernel(const float* d_in, int num_items, float* d_out) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  float Item::*const member = index < num_items ? &Item::value : &Item::none;
  Item item = {};
  if (index < num_items) item.*member = d_in[index];
  float (Item::*function)(float) const = threadIdx.x % 2 == 0 ? &Item::same : &Item::negated;
  const float value = (item.*function)(threadIdx.x % 2 == 0 ? 1 : -1);
  if (value != called<&Item::same>(item) && value == value) return;
  if (index < num_items) atomicAdd(d_out, item.*member);
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch&, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  if (num_items == 0) return;
  add_kernel<<<ceil_div(num_items, 256), 256, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
