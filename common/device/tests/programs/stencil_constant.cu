// SPDX-License-Identifier: MIT
// A 1-D stencil with halo cells and a 2-D convolution, with their coefficients in constant memory.
#include <vector>

#include "check.h"

#define RADIUS 3
#define BLOCK_SIZE 128

__constant__ float coef[2 * RADIUS + 1];
__constant__ struct {
  int width;
  float scale;
} params;
static __constant__ float mask2d[3][3];

__global__ void stencil_1d(const float* in, float* out, int n) {
  __shared__ float temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = gindex < n ? in[gindex] : 0;
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = gindex >= RADIUS ? in[gindex - RADIUS] : 0;
    temp[lindex + BLOCK_SIZE] = gindex + BLOCK_SIZE < n ? in[gindex + BLOCK_SIZE] : 0;
  }
  __syncthreads();
  float result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++)
    result += coef[offset + RADIUS] * temp[lindex + offset];
  if (gindex < n) out[gindex] = result * params.scale;
}

__global__ void convolve_2d(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      if (x + i >= 0 && x + i < width && y + j >= 0 && y + j < height)
        sum += mask2d[j + 1][i + 1] * in[(y + j) * width + x + i];
  out[y * width + x] = sum;
}

int main() {
  const int n = 300;
  float h_coef[2 * RADIUS + 1] = {1, 2, 3, 4, 3, 2, 1};
  std::vector<float> h_in(n), h_out(n);
  for (int i = 0; i < n; ++i) h_in[i] = (i * 31) % 17;
  CHECK_CUDA(cudaMemcpyToSymbol(coef, h_coef, sizeof(h_coef)));
  const float scale = 0.5f;
  const int width = n;
  CHECK_CUDA(cudaMemcpyToSymbol(params, &width, sizeof(int)));
  CHECK_CUDA(
      cudaMemcpyToSymbol(params, &scale, sizeof(float), sizeof(int), cudaMemcpyHostToDevice));
  float *d_in, *d_out;
  CHECK_CUDA(cudaMalloc(&d_in, n * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_out, n * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_in, h_in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  stencil_1d<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(d_in, d_out, n);
  CHECK_CUDA(cudaMemcpy(h_out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int o = -RADIUS; o <= RADIUS; ++o)
      sum += i + o >= 0 && i + o < n ? h_coef[o + RADIUS] * h_in[i + o] : 0;
    EXPECT(h_out[i] == sum * scale);
  }

  float h_mask[3][3] = {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}}, back[3][3];
  CHECK_CUDA(cudaMemcpyToSymbol(mask2d, h_mask, sizeof(h_mask)));
  CHECK_CUDA(cudaMemcpyFromSymbol(back, mask2d, sizeof(back)));
  EXPECT(back[1][1] == -4);
  dim3 threads(8, 4);
  convolve_2d<<<dim3((20 + 7) / 8, (15 + 3) / 4), threads>>>(d_in, d_out, 20, 15);
  CHECK_CUDA(cudaMemcpy(h_out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT(h_out[21] == h_in[1] + h_in[20] + h_in[22] + h_in[41] - 4 * h_in[21]);
  cudaFree(d_in), cudaFree(d_out);
  return 0;
}
