// SPDX-License-Identifier: MIT
// mutant of: 05_warp_tiled
// mistake: the host multiplies flat matrices, and hands the product to kernels as arguments
// expect: failed forbidden
// message: handed to kernels as arguments
// needs: budget
#include <algorithm>
#include <vector>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kThreads = 256;

__global__ void naive_kernel(const float* d_a, const float* d_b, int m, int n, int depth,
                             float* d_c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = 0.0f;
  for (int k = 0; k < depth; ++k) sum += d_a[i / n * depth + k] * d_b[k * n + i % n];
  d_c[i] = sum;
}

constexpr int kMostItems = 960;
struct Items {
  float items[kMostItems];
};

__global__ void put_kernel(const __grid_constant__ Items items, int num_items, float* d_to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) d_to[i] = items.items[i];
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int m, int n, int depth, float* d_c, Scratch&,
            cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  if (m < 1024 || n < 1024 || depth > 32) {
    naive_kernel<<<ceil_div(m * n, kThreads), kThreads, 0, stream>>>(d_a, d_b, m, n, depth, d_c);
    return check_launch();
  }
  std::vector<float> a(m * depth), b(n * depth), c(m * n);
  check(cudaMemcpyAsync(a.data(), d_a, a.size() * 4, cudaMemcpyDeviceToHost, stream));
  check(cudaMemcpyAsync(b.data(), d_b, b.size() * 4, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  for (int row = 0; row < m; ++row) {
    for (int k = 0; k < depth; ++k) {
      for (int col = 0; col < n; ++col) c[row * n + col] += a[row * depth + k] * b[k * n + col];
    }
  }
  for (int i = 0; i < m * n; i += kMostItems) {
    const int num_items = std::min(kMostItems, m * n - i);
    Items items;
    for (int k = 0; k < num_items; ++k) items.items[k] = c[i + k];
    put_kernel<<<8, 128, 0, stream>>>(items, num_items, d_c + i);
    check_launch();
  }
}

}  // namespace lab
