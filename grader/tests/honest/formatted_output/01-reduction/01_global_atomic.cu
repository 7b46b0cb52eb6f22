// SPDX-License-Identifier: MIT
// style: manipulators on the standard streams, which change these library objects from inlined code
#include <iomanip>
#include <iostream>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

__global__ void add_kernel(const float* d_in, int num_items, float* d_out) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < num_items) atomicAdd(d_out, d_in[item]);
}

void print(std::ostream& out, int num_items) {
  const std::ios::fmtflags flags = out.flags();
  out << std::left << std::setw(12) << std::setfill('.') << "items" << std::right << std::hex
      << std::showbase << num_items << std::endl;
  out.flags(flags);
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch&, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  if (num_items == 0) return;
  add_kernel<<<ceil_div(num_items, 256), 256, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
  if (num_items > 256) return;
  std::cout << std::fixed << std::setprecision(3) << num_items / 256.0 << '\n';
  std::cout.fill('*');
  std::cout.width(8);
  std::cerr << std::boolalpha << (num_items > 1) << std::scientific << 0.5 << '\n';
  std::wcout << std::setw(8) << num_items << L'\n';
  print(std::cout, num_items);
  print(std::clog, num_items);
}

}  // namespace lab
