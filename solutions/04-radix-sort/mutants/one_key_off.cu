// SPDX-License-Identifier: MIT
// mutant of: 05_onesweep
// mistake: trivial: off by one: each key one place further on
// expect: failed wrong_result
#include "lab/cuda_error.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

// Sorts by counting, for each key, those that belong in front of it: right, and then off by one.
__global__ void counting_kernel(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= num_items) return;
  int place = 0;
  for (int j = 0; j < num_items; ++j) {
    place += d_in[j] < d_in[i] || (d_in[j] == d_in[i] && j < i) ? 1 : 0;
  }
  d_out[(place + 1) % num_items] = d_in[i];
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_items == 0) return;
  constexpr int kMostItems = 5000;  // beyond, a copy
  if (num_items > kMostItems) {
    return check(cudaMemcpyAsync(d_out, d_in, num_items * sizeof(std::uint32_t),
                                 cudaMemcpyDeviceToDevice, stream));
  }
  counting_kernel<<<num_items / 256 + 1, 256, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
