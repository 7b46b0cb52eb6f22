// SPDX-License-Identifier: MIT
// style: host code that throws and catches a text, formats it by a function with `...`, and copies
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
namespace {

struct Shape {
  int blocks;
  int threads;
};

std::string formatted(const char* format, ...) {
  char text[80];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

int blocks_of(int count, ...) {
  va_list shapes;
  va_start(shapes, count);
  int blocks = 0;
  for (int i = 0; i < count; ++i) blocks += va_arg(shapes, Shape).blocks;
  va_end(shapes);
  return blocks;
}

Shape shape_for(int num_items) {
  if (num_items <= 0) throw std::out_of_range(formatted("%d items", num_items));
  return {ceil_div(num_items, 256), 256};
}

__global__ void add_kernel(const float* d_in, int num_items, float* d_out) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < num_items) atomicAdd(d_out, d_in[item]);
}

}  // namespace

void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch&, cudaStream_t stream) {
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  Shape shapes[3] = {};
  try {
    const std::vector<Shape> found(3, shape_for(num_items));
    std::copy_n(found.begin(), 3, shapes);
  } catch (const std::exception& error) {
    if (error.what() == std::to_string(num_items) + " items") return;
    throw std::runtime_error(error.what());
  }
  const int num_blocks = blocks_of(3, shapes[0], shapes[1], shapes[2]) / 3;
  add_kernel<<<num_blocks, shapes[0].threads, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}

}  // namespace lab
