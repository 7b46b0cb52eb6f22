// SPDX-License-Identifier: MIT
// A texture of an array that may be gathered is gathered.
#include <cstdio>
__global__ void gather(cudaTextureObject_t texture, float4* out) {
  *out = tex2Dgather<float4>(texture, 1, 1, 0);
}
int main() {
  const float items[4] = {1, 2, 3, 4};
  float4 *d, h;
  const auto format = cudaCreateChannelDesc<float>();
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeArray;
  cudaArray_t& array = from.res.array.array;
  cudaMallocArray(&array, &format, 2, 2, cudaArrayTextureGather);
  cudaMemcpy2DToArray(array, 0, 0, items, 8, 8, 2, cudaMemcpyHostToDevice);
  const cudaTextureDesc how{};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &from, &how, nullptr);
  cudaMalloc(&d, sizeof h);
  gather<<<1, 1>>>(texture, d);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g %g\n", h.x, h.y, h.z, h.w);
  cudaFree(d);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}
