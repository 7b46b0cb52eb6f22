// SPDX-License-Identifier: MIT
// An image as a texture: enlarged by linear filtering, and turned by 90 degrees into a surface;
// the same through pitched memory, and a table in linear memory.
#include <cmath>
#include <vector>

#include "check.h"

constexpr int kWidth = 16, kHeight = 8;

__global__ void enlarge(cudaTextureObject_t image, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = tex2D<float>(image, (x + 0.5f) / width, (y + 0.5f) / height);
}

__global__ void turn(cudaTextureObject_t image, cudaSurfaceObject_t turned) {
  const int x = threadIdx.x, y = threadIdx.y;
  const float value = tex2D<float>(image, (x + 0.5f) / kWidth, (y + 0.5f) / kHeight);
  surf2Dwrite(value, turned, (kHeight - 1 - y) * (int)sizeof(float), x);
}

__global__ void look_up(cudaTextureObject_t table, const int* in, int* out, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) out[i] = tex1Dfetch<int>(table, in[i]);
}

cudaTextureDesc smooth() {
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.normalizedCoords = 1;
  return how;
}

std::vector<float> enlarged(cudaTextureObject_t image) {
  const int width = 2 * kWidth, height = 2 * kHeight;
  float* d_out;
  CHECK_CUDA(cudaMalloc(&d_out, width * height * sizeof(float)));
  enlarge<<<dim3(2, 2), dim3(kWidth, kHeight)>>>(image, d_out, width, height);
  std::vector<float> out(width * height);
  CHECK_CUDA(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  cudaFree(d_out);
  return out;
}

int main() {
  std::vector<float> ramp(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) ramp[i] = i % kWidth + 100.f * (i / kWidth);
  const size_t row_bytes = kWidth * sizeof(float);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const cudaTextureDesc how = smooth();

  cudaArray_t array;
  CHECK_CUDA(cudaMallocArray(&array, &format, kWidth, kHeight));
  CHECK_CUDA(cudaMemcpy2DToArray(array, 0, 0, ramp.data(), row_bytes, row_bytes, kHeight,
                                 cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t image;
  CHECK_CUDA(cudaCreateTextureObject(&image, &resource, &how, nullptr));
  const std::vector<float> large = enlarged(image);
  // Inside, the middle of a quarter lies a quarter away from the nearest centre.
  EXPECT(large[1] == 0.25f && large[2] == 0.75f);
  EXPECT(large[2 * kWidth] == 25 && large[2 * kWidth + 1] == 25.25f);
  EXPECT(large[0] == 0 && large[2 * kWidth - 1] == kWidth - 1);

  float* pitched;
  size_t pitch;
  CHECK_CUDA(cudaMallocPitch(&pitched, &pitch, row_bytes, kHeight));
  CHECK_CUDA(cudaMemcpy2D(pitched, pitch, ramp.data(), row_bytes, row_bytes, kHeight,
                          cudaMemcpyHostToDevice));
  cudaResourceDesc rows = {};
  rows.resType = cudaResourceTypePitch2D;
  rows.res.pitch2D = {pitched, format, kWidth, kHeight, pitch};
  cudaTextureObject_t same;
  CHECK_CUDA(cudaCreateTextureObject(&same, &rows, &how, nullptr));
  EXPECT(enlarged(same) == large);

  cudaArray_t turned_array;
  CHECK_CUDA(cudaMallocArray(&turned_array, &format, kHeight, kWidth, cudaArraySurfaceLoadStore));
  resource.res.array.array = turned_array;
  cudaSurfaceObject_t turned;
  CHECK_CUDA(cudaCreateSurfaceObject(&turned, &resource));
  turn<<<1, dim3(kWidth, kHeight)>>>(image, turned);
  std::vector<float> result(kWidth * kHeight);
  const size_t turned_bytes = kHeight * sizeof(float);
  CHECK_CUDA(cudaMemcpy2DFromArray(result.data(), turned_bytes, turned_array, 0, 0, turned_bytes,
                                   kWidth, cudaMemcpyDeviceToHost));
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      EXPECT(result[x * kHeight + kHeight - 1 - y] == ramp[y * kWidth + x]);

  const int squares[] = {0, 1, 4, 9, 16}, places[] = {4, 2, 0};
  int *d_squares, *d_places, *d_out;
  CHECK_CUDA(cudaMalloc(&d_squares, sizeof squares));
  CHECK_CUDA(cudaMalloc(&d_places, sizeof places));
  CHECK_CUDA(cudaMalloc(&d_out, sizeof places));
  CHECK_CUDA(cudaMemcpy(d_squares, squares, sizeof squares, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_places, places, sizeof places, cudaMemcpyHostToDevice));
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear = {d_squares, cudaCreateChannelDesc<int>(), sizeof squares};
  cudaTextureDesc plain = {};
  cudaTextureObject_t table;
  CHECK_CUDA(cudaCreateTextureObject(&table, &linear, &plain, nullptr));
  look_up<<<1, 32>>>(table, d_places, d_out, 3);
  int out[3];
  CHECK_CUDA(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  EXPECT(out[0] == 16 && out[1] == 4 && out[2] == 0);

  for (const cudaTextureObject_t texture : {image, same, table})
    CHECK_CUDA(cudaDestroyTextureObject(texture));
  CHECK_CUDA(cudaDestroySurfaceObject(turned));
  CHECK_CUDA(cudaFreeArray(array));
  CHECK_CUDA(cudaFreeArray(turned_array));
  cudaFree(pitched), cudaFree(d_squares), cudaFree(d_places), cudaFree(d_out);
  return 0;
}
