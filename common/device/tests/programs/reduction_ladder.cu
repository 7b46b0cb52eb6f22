// SPDX-License-Identifier: MIT
// Block reductions as slides and samples write them: interleaved, sequential addressing, an
// unrolled last warp through volatile, templates over the block size, shuffles.
#include <cstdio>
#include <vector>

template <class T>
struct SharedMemory {
  __device__ inline operator T*() {
    extern __shared__ int __smem[];
    return (T*)__smem;
  }
};

__global__ void interleaved(const int* in, int* out, int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(out, sdata[0]);
}

__device__ void warp_reduce(volatile int* sdata, unsigned int tid) {
  int x = sdata[tid];
  x += sdata[tid + 32];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
  x += sdata[tid + 16];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
  x += sdata[tid + 8];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
  x += sdata[tid + 4];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
  x += sdata[tid + 2];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
  x += sdata[tid + 1];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
}

template <unsigned int BLOCK_SIZE>
__global__ void unrolled(const int* in, int* out, unsigned int n) {
  __shared__ volatile int sdata[BLOCK_SIZE];
  unsigned int tid = threadIdx.x;
  int sum = 0;
  for (unsigned int i = blockIdx.x * BLOCK_SIZE + tid; i < n; i += BLOCK_SIZE * gridDim.x)
    sum += in[i];
  sdata[tid] = sum;
  __syncthreads();
  if (BLOCK_SIZE >= 256) {
    if (tid < 128) sdata[tid] = sum = sum + sdata[tid + 128];
    __syncthreads();
  }
  if (BLOCK_SIZE >= 128) {
    if (tid < 64) sdata[tid] = sum = sum + sdata[tid + 64];
    __syncthreads();
  }
  if (tid < 32) warp_reduce(sdata, tid);
  if (tid == 0) atomicAdd(out, sdata[0]);
}

template <class T>
__inline__ __device__ T warp_sum(T value) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset >>= 1)
    value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

template <class T>
__global__ void __launch_bounds__(1024)
    shuffled(const T* __restrict__ in, T* __restrict__ out, int n) {
  T* partial = SharedMemory<T>();
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  sum = warp_sum(sum);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < (blockDim.x + 31) / 32 ? partial[lane] : T(0);
    sum = warp_sum(sum);
    if (lane == 0) atomicAdd(out, sum);
  }
}

int main() {
  const int n = 10007;
  std::vector<int> h_in(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += h_in[i] = (i * 7919) % 101 - 50;
  int *d_in, *d_out, sums[4] = {};
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, sizeof(sums));
  cudaMemcpy(d_in, h_in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, sizeof(sums));
  interleaved<<<(n + 127) / 128, 128, 128 * sizeof(int)>>>(d_in, d_out, n);
  unrolled<256><<<4, 256>>>(d_in, d_out + 1, n);
  unrolled<64u><<<dim3(3), dim3(64)>>>(d_in, d_out + 2, n);
  shuffled<int><<<2, 96, 32 * sizeof(int), 0>>>(d_in, d_out + 3, n);
  cudaMemcpy(sums, d_out, sizeof(sums), cudaMemcpyDeviceToHost);
  for (int sum : sums) {
    if (sum != expected) return printf("%d instead of %d\n", sum, expected), 1;
  }

  double *d_x, *d_y, sum = 0;
  cudaMallocManaged(&d_x, 500 * sizeof(double));
  cudaMallocManaged(&d_y, sizeof(double));
  *d_y = 0;
  for (int i = 0; i < 500; ++i) sum += d_x[i] = i * 0.5;
  shuffled<<<1, 128, 32 * sizeof(double)>>>(d_x, d_y, 500);
  cudaDeviceSynchronize();
  if (*d_y != sum) return printf("%f instead of %f\n", *d_y, sum), 1;
  cudaFree(d_in), cudaFree(d_out), cudaFree(d_x), cudaFree(d_y);
  return cudaGetLastError() != cudaSuccess;
}
