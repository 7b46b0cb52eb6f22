// SPDX-License-Identifier: MIT
// style: texts of errors from streams; g++ does not inline a stream's str() where it rarely runs
#include <sstream>
#include <stdexcept>
#include <utility>

#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

__global__ void add_kernel(const float* d_in, int num_items, float* d_out) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < num_items) atomicAdd(d_out, d_in[item]);
}

void require(cudaError_t error, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::ostringstream text;
  text << file << "(" << line << "): " << cudaGetErrorString(error);
  throw std::runtime_error(text.str());
}

void require_size(int num_items) {
  if (num_items >= 0) return;
  std::stringstream text;
  text << num_items << " items";
  throw std::invalid_argument(std::move(text).str());
}

#define REQUIRE(call) require((call), __FILE__, __LINE__)

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch&, cudaStream_t stream) {
  require_size(num_items);
  REQUIRE(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  if (num_items == 0) return;
  add_kernel<<<ceil_div(num_items, 256), 256, 0, stream>>>(d_in, num_items, d_out);
  REQUIRE(cudaGetLastError());
}

}  // namespace lab
