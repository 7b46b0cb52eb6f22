// SPDX-License-Identifier: MIT
// style: 16 bytes per lane: three float4 are four points, which go out as one float4 per coordinate
#include <set>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kThreads = 128;

// Four points per thread. A block's vectors are neighbours, and change hands in shared memory.
__global__ void split_kernel(const float4* d_points, int num_groups, float4* d_x, float4* d_y,
                             float4* d_z) {
  __shared__ float4 vectors[3 * kThreads];
  const int t = threadIdx.x;
  const int first = blockIdx.x * kThreads;
  const int num_vectors = 3 * min(kThreads, num_groups - first);
  for (int i = t; i < num_vectors; i += kThreads) vectors[i] = d_points[3 * first + i];
  __syncthreads();
  if (first + t >= num_groups) return;
  const float4 a = vectors[3 * t];
  const float4 b = vectors[3 * t + 1];
  const float4 c = vectors[3 * t + 2];
  d_x[first + t] = make_float4(a.x, a.w, b.z, c.y);
  d_y[first + t] = make_float4(a.y, b.x, b.w, c.z);
  d_z[first + t] = make_float4(a.z, b.y, c.x, c.w);
}

// The last points, fewer than four.
__global__ void rest_kernel(const float* d_points, int first, int num_points, float* d_x,
                            float* d_y, float* d_z) {
  const int i = first + threadIdx.x;
  if (i >= num_points) return;
  d_x[i] = d_points[3 * i];
  d_y[i] = d_points[3 * i + 1];
  d_z[i] = d_points[3 * i + 2];
}

}  // namespace

AccessCost classify_access(int element_bytes, int offset, int stride_x, int stride_y,
                           int block_width) {
  std::set<int> sectors;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int index = offset + lane % block_width * stride_x + lane / block_width * stride_y;
    sectors.insert(index * element_bytes / 32);
  }
  const int count = static_cast<int>(sectors.size());
  return {count, count <= element_bytes};
}

MatmulCost classify_matmul(int width, int block_width, bool column_from_x) {
  const auto cost = [=](int per_row, int per_column) {
    return column_from_x ? classify_access(4, 0, per_column, per_row, block_width)
                         : classify_access(4, 0, per_row, per_column, block_width);
  };
  return {cost(width, 0), cost(0, 1), cost(width, 1)};
}

void split_points(const float* d_points, int num_points, float* d_x, float* d_y, float* d_z,
                  cudaStream_t stream) {
  const int groups = num_points / 4;
  const auto vectors = [](auto* d_items) { return reinterpret_cast<float4*>(d_items); };
  if (groups > 0) {
    split_kernel<<<ceil_div(groups, kThreads), kThreads, 0, stream>>>(
        reinterpret_cast<const float4*>(d_points), groups, vectors(d_x), vectors(d_y),
        vectors(d_z));
    check_launch();
  }
  if (num_points % 4 != 0) {
    rest_kernel<<<1, 32, 0, stream>>>(d_points, 4 * groups, num_points, d_x, d_y, d_z);
    check_launch();
  }
}

}  // namespace lab
