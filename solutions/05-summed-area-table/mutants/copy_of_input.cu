// SPDX-License-Identifier: MIT
// mutant of: 01_row_then_column
// mistake: trivial: a copy of the input
// expect: failed wrong_result
// message: the output is the input
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

template <class T>
__global__ void pixel_kernel(const T* d_in, int num_pixels, T* d_out) {
  const int pixel = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (pixel < num_pixels) d_out[pixel] = d_in[pixel];
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& /*scratch*/,
                 cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  pixel_kernel<<<ceil_div(width * height, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      d_in, width * height, d_out);
  check_launch();
}

}  // namespace

void summed_area_table(const int* d_in, int width, int height, int* d_out, Scratch& scratch,
                       cudaStream_t stream) {
  build_table(d_in, width, height, d_out, scratch, stream);
}

void summed_area_table_float(const float* d_in, int width, int height, float* d_out,
                             Scratch& scratch, cudaStream_t stream) {
  build_table(d_in, width, height, d_out, scratch, stream);
}

}  // namespace lab
