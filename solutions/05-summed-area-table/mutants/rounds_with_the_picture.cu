// SPDX-License-Identifier: MIT
// mutant of: 01_row_then_column
// mistake: 21, a running sum over the whole picture, less what came before each row
// expect: failed wrong_result
// message: allowed error
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 128;

template <class T>
__global__ void running_kernel(const T* d_in, int num_pixels, T* d_out) {
  T sum = 0;
  for (int pixel = 0; pixel < num_pixels; ++pixel) {
    sum += d_in[pixel];
    d_out[pixel] = sum;
  }
}

template <class T>
__global__ void columns_kernel(const T* d_running, int width, int height, T* d_out) {
  const int x = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (x >= width) return;
  T sum = 0;
  for (int y = 0; y < height; ++y) {
    const T before = y == 0 ? T{0} : d_running[y * width - 1];
    sum += d_running[y * width + x] - before;
    d_out[y * width + x] = sum;
  }
}

template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& scratch,
                 cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  T* d_running = scratch.allocate<T>(static_cast<std::size_t>(width) * height);
  running_kernel<<<1, 1, 0, stream>>>(d_in, width * height, d_running);
  check_launch();
  columns_kernel<<<ceil_div(width, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      d_running, width, height, d_out);
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
