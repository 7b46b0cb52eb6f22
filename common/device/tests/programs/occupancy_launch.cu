// SPDX-License-Identifier: MIT
// Choosing a launch by the device: properties, attributes, occupancy, cudaLaunchKernel by pointer.
#include "check.h"

struct Pair {
  int a;
  double b;
};

__global__ void __launch_bounds__(256, 2)
    write_pair(Pair* out, Pair value, int count, const char label) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = {value.a + i, value.b + label};
}

template <typename T>
__global__ void square(T* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    data[i] *= data[i];
}

int main() {
  int count = 0, driver = 0, runtime = 0, sms = 0;
  CHECK_CUDA(cudaGetDeviceCount(&count));
  CHECK_CUDA(cudaDriverGetVersion(&driver));
  CHECK_CUDA(cudaRuntimeGetVersion(&runtime));
  EXPECT(count >= 1 && driver >= runtime && runtime >= 12000);
  cudaDeviceProp prop;
  CHECK_CUDA(cudaGetDeviceProperties(&prop, 0));
  CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(prop.warpSize == 32 && prop.multiProcessorCount == sms && prop.maxThreadsPerBlock == 1024);
  printf("%s, compute capability %d.%d\n", prop.name, prop.major, prop.minor);

  int min_grid = 0, block = 0, active = 0;
  CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, square<float>, 0, 0));
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, square<float>, block, 0));
  EXPECT(block >= 32 && block <= 1024 && active * sms == min_grid);
  cudaFuncAttributes attributes;
  CHECK_CUDA(cudaFuncGetAttributes(&attributes, write_pair));
  EXPECT(attributes.maxThreadsPerBlock >= 256 && attributes.numRegs > 0);
  CHECK_CUDA(cudaFuncSetCacheConfig(write_pair, cudaFuncCachePreferL1));

  const int n = 100;
  Pair* out;
  CHECK_CUDA(cudaMallocManaged(&out, n * sizeof(Pair)));
  Pair value = {10, 0.5};
  int items = n;
  char label = 'x';
  void* args[] = {&out, &value, &items, &label};
  CHECK_CUDA(
      cudaLaunchKernel((const void*)write_pair, dim3((n + 31) / 32), dim3(32), args, 0, NULL));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(out[i].a == 10 + i && out[i].b == 'x' + 0.5);
  float* data;
  CHECK_CUDA(cudaMallocManaged(&data, n * sizeof(float)));
  for (int i = 0; i < n; ++i) data[i] = i;
  void* square_args[] = {(void*)&data, (void*)&items};
  CHECK_CUDA(cudaLaunchKernel((void*)square<float>, 2, 32, square_args, 0, 0));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(data[i] == i * i);
  size_t free_bytes, total_bytes;
  CHECK_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
  EXPECT(free_bytes <= total_bytes && total_bytes > 0);
  cudaFree(out);
  cudaFree(data);
  return 0;
}
