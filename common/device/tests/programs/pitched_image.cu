// SPDX-License-Identifier: MIT
// Images in pitched memory: rows apart by the pitch, cudaMemcpy2D
// both ways, cudaMemset2D, uchar4 pixels.
#include <vector>

#include "check.h"

__global__ void to_grey(const uchar4* src, size_t src_pitch, unsigned char* dst, size_t dst_pitch,
                        int width, int height) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= width || y >= height) return;
  const uchar4* row = (const uchar4*)((const char*)src + y * src_pitch);
  uchar4 p = row[x];
  dst[y * dst_pitch + x] = static_cast<unsigned char>(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

int main() {
  const int width = 37, height = 21;
  std::vector<uchar4> image(width * height);
  for (int i = 0; i < width * height; ++i)
    image[i] = make_uchar4(i % 256, i * 3 % 256, i * 7 % 256, 255);
  uchar4* d_image;
  unsigned char* d_grey;
  size_t image_pitch, grey_pitch;
  CHECK_CUDA(cudaMallocPitch(&d_image, &image_pitch, width * sizeof(uchar4), height));
  CHECK_CUDA(cudaMallocPitch((void**)&d_grey, &grey_pitch, width, height));
  EXPECT(image_pitch >= width * sizeof(uchar4) && grey_pitch >= width);
  CHECK_CUDA(cudaMemcpy2D(d_image, image_pitch, image.data(), width * sizeof(uchar4),
                          width * sizeof(uchar4), height, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset2D(d_grey, grey_pitch, 7, width, height));
  dim3 block(16, 8);
  dim3 grid((width + block.x - 1) / block.x, (height - 1 + block.y - 1) / block.y);
  to_grey<<<grid, block>>>(d_image, image_pitch, d_grey, grey_pitch, width, height - 1);
  std::vector<unsigned char> grey(width * height);
  CHECK_CUDA(
      cudaMemcpy2D(grey.data(), width, d_grey, grey_pitch, width, height, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * (height - 1); ++i) {
    const uchar4 p = image[i];
    EXPECT(grey[i] == (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z));
  }
  for (int i = width * (height - 1); i < width * height; ++i) EXPECT(grey[i] == 7);
  EXPECT(cudaMemcpy2D(grey.data(), width - 1, d_grey, grey_pitch, width, height,
                      cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidPitchValue);
  cudaFree(d_image);
  cudaFree(d_grey);
  return 0;
}
