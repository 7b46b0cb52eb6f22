// SPDX-License-Identifier: MIT
// Correct CUDA C++ in which an editor must not see a mistake: test_editor.py.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cuda/atomic>
#include <memory>
#include <vector>

namespace cg = cooperative_groups;

__constant__ float c_factor[4];
__device__ int d_counter;
__managed__ int m_shared_with_host;

struct Item {
  __host__ __device__ Item(int first, float second) : key(first), value(second) {}
  int key;
  float value;
};

template <class T, int kSize>
__device__ T sum_of(const T (&values)[kSize]) {
  T sum{};
#pragma unroll
  for (int i = 0; i < kSize; ++i) sum += values[i];
  return sum;
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads) kernel(float* d_out, int num_items) {
  extern __shared__ float dynamic[];
  __shared__ int counts[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(num_items > 0);
  auto* heap = new float[3];
  heap[0] = sqrtf(2.f) + std::sqrt(3.f) + fmaxf(1.f, 2.f) + fminf(1.f, 2.f) + rsqrtf(2.f);
  memcpy(d_out, heap, sizeof(float));
  delete[] heap;
  const Item* item = new Item(1, 2.f);
  delete item;
  counts[threadIdx.x % warpSize] = __popc(i) + __clz(i) + min(i, 3) + max(i, 4);
  dynamic[threadIdx.x] = c_factor[0] * __ldg(d_out) + __fdividef(1.f, 2.f);
  __syncthreads();
  const float value = __shfl_down_sync(0xffffffffu, dynamic[threadIdx.x], 1);
  atomicAdd(&d_out[0], value);
  atomicCAS(&d_counter, 0, 1);
  m_shared_with_host = 1;
  cuda::atomic_ref<int, cuda::thread_scope_device>(d_counter).fetch_add(1);
  cg::this_thread_block().sync();
  const float some[4] = {1, 2, 3, 4};
  if (i == 0) printf("%f %d %f\n", sum_of(some), isnan(value), INFINITY);
  d_out[1] = __half2float(__float2half(1.f));
  const auto square = [](float x) { return x * x; };
  d_out[2] = square(value);
}

void host(cudaStream_t stream) {
  float* d_out = nullptr;
  cudaMalloc(&d_out, 16);
  const dim3 grid(1, 2);
  kernel<128><<<grid, 128, 512, stream>>>(d_out, 3);
  kernel<32><<<1, 32>>>(d_out, 3);
  cudaMemcpyToSymbol(c_factor, d_out, sizeof(c_factor));
  auto item = std::make_unique<Item>(1, 2.f);
  std::vector<int> sorted(3, item->key);
  std::sort(sorted.begin(), sorted.end());
  m_shared_with_host = sorted[0];
  int* owned = new int(3);
  delete owned;
  cudaFree(d_out);
}
