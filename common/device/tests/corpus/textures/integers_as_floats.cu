// SPDX-License-Identifier: MIT
// out_of_bounds: the kernel reads floats from a texture of bytes, which gives integers as they are.
// at: out[x] = tex2D<float>(image, x + 0.5F, 0.5F) / 255;
#include <cstdio>

__global__ void brightness(cudaTextureObject_t image, float* out) {
  const int x = threadIdx.x;
  out[x] = tex2D<float>(image, x + 0.5F, 0.5F) / 255;
}

int main() {
  unsigned char h_image[2][32];
  float h_out[32];
  for (int x = 0; x < 32; ++x) h_image[0][x] = h_image[1][x] = 8 * x;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t d_image;
  cudaMallocArray(&d_image, &format, 32, 2);
  cudaMemcpy2DToArray(d_image, 0, 0, h_image, 32, 32, 2, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = d_image;
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t image = 0;
  cudaCreateTextureObject(&image, &resource, &how, nullptr);
  float* d_out;
  cudaMalloc(&d_out, sizeof h_out);
  brightness<<<1, 32>>>(image, d_out);
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[16] > 0.5F ? "PASS" : "FAIL");
  cudaDestroyTextureObject(image);
  cudaFreeArray(d_image);
  cudaFree(d_out);
}
