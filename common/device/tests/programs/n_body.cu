// SPDX-License-Identifier: MIT
// All-pairs gravity with tiles of bodies as float4 in shared memory, against double on the host.
#include <cmath>
#include <vector>

#include "check.h"

#define EPS2 0.01f

__device__ float3 body_body(float4 bi, float4 bj, float3 ai) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float dist_sqr = fmaf(r.x, r.x, fmaf(r.y, r.y, r.z * r.z)) + EPS2;
  float inv = rsqrtf(dist_sqr);
  float s = bj.w * inv * inv * inv;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

__global__ void forces(const float4* bodies, float4* accelerations, int num_tiles) {
  extern __shared__ float4 sh_position[];
  const int gtid = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 mine = bodies[gtid];
  float3 acc = {0.0f, 0.0f, 0.0f};
  for (int tile = 0; tile < num_tiles; tile++) {
    sh_position[threadIdx.x] = bodies[tile * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; j++) acc = body_body(mine, sh_position[j], acc);
    __syncthreads();
  }
  accelerations[gtid] = make_float4(acc.x, acc.y, acc.z, 0.0f);
}

int main() {
  const int n = 128, p = 32;
  std::vector<float4> bodies(n), result(n);
  for (int i = 0; i < n; ++i)
    bodies[i] = make_float4(sinf(i), cosf(2 * i), sinf(3 * i + 1), 1 + i % 3);
  float4 *d_bodies, *d_result;
  CHECK_CUDA(cudaMalloc(&d_bodies, n * sizeof(float4)));
  CHECK_CUDA(cudaMalloc(&d_result, n * sizeof(float4)));
  CHECK_CUDA(cudaMemcpy(d_bodies, &bodies[0], n * sizeof(float4), cudaMemcpyHostToDevice));
  forces<<<n / p, p, p * sizeof(float4)>>>(d_bodies, d_result, n / p);
  CHECK_CUDA(cudaMemcpy(&result[0], d_result, n * sizeof(float4), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    double x = 0;
    for (int j = 0; j < n; ++j) {
      const double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y,
                   dz = bodies[j].z - bodies[i].z;
      x += dx * bodies[j].w / std::pow(dx * dx + dy * dy + dz * dz + EPS2, 1.5);
    }
    EXPECT(std::fabs(result[i].x - x) < 1e-3 * (1 + std::fabs(x)));
  }
  cudaFree(d_bodies);
  cudaFree(d_result);
  return 0;
}
