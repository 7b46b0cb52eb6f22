// SPDX-License-Identifier: MIT
// Prefix sums: Hillis-Steele with two buffers, Blelloch's up and
// down sweep, and a scan of many blocks.
#include <vector>

#include "check.h"

__global__ void scan_hillis_steele(int* g_odata, const int* g_idata, int n) {
  extern __shared__ int temp[];
  int thid = threadIdx.x;
  int pout = 0, pin = 1;
  temp[pout * n + thid] = (thid > 0) ? g_idata[thid - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (thid >= offset)
      temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
    else
      temp[pout * n + thid] = temp[pin * n + thid];
    __syncthreads();
  }
  g_odata[thid] = temp[pout * n + thid];
}

#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

template <int BLOCK, typename T>
__global__ void scan_blelloch(T* out, const T* in, int n, T* block_sums) {
  __shared__ T temp[2 * BLOCK + CONFLICT_FREE_OFFSET(2 * BLOCK)];
  const int tid = threadIdx.x, base = blockIdx.x * 2 * BLOCK;
  int ai = tid, bi = tid + BLOCK;
  temp[ai + CONFLICT_FREE_OFFSET(ai)] = base + ai < n ? in[base + ai] : T();
  temp[bi + CONFLICT_FREE_OFFSET(bi)] = base + bi < n ? in[base + bi] : T();
  int offset = 1;
  for (int d = BLOCK; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      temp[b + CONFLICT_FREE_OFFSET(b)] += temp[a + CONFLICT_FREE_OFFSET(a)];
    }
    offset *= 2;
  }
  if (tid == 0) {
    const int last = 2 * BLOCK - 1;
    if (block_sums != nullptr) block_sums[blockIdx.x] = temp[last + CONFLICT_FREE_OFFSET(last)];
    temp[last + CONFLICT_FREE_OFFSET(last)] = 0;
  }
  for (int d = 1; d < 2 * BLOCK; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a), b += CONFLICT_FREE_OFFSET(b);
      T t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  __syncthreads();
  if (base + ai < n) out[base + ai] = temp[ai + CONFLICT_FREE_OFFSET(ai)];
  if (base + bi < n) out[base + bi] = temp[bi + CONFLICT_FREE_OFFSET(bi)];
}

__global__ void add_block_sums(int* data, const int* block_sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += block_sums[blockIdx.x];
}

int main() {
  constexpr int kBlock = 64, kItems = 2 * kBlock;
  const int n = 5 * kItems + 17, blocks = (n + kItems - 1) / kItems;
  std::vector<int> h(n), out(n);
  for (int i = 0; i < n; ++i) h[i] = (i * i) % 13 - 4;
  int *in, *result, *sums;
  CHECK_CUDA(cudaMalloc(&in, n * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&result, n * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&sums, blocks * sizeof(int)));
  CHECK_CUDA(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  scan_hillis_steele<<<1, 200, 2 * 200 * sizeof(int)>>>(result, in, 200);
  CHECK_CUDA(cudaMemcpy(out.data(), result, 200 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0, sum = 0; i < 200; sum += h[i++]) EXPECT(out[i] == sum);
  scan_blelloch<kBlock><<<blocks, kBlock>>>(result, in, n, sums);
  scan_blelloch<kBlock, int><<<1, kBlock>>>(sums, sums, blocks, NULL);
  add_block_sums<<<blocks, kItems>>>(result, sums, n);
  CHECK_CUDA(cudaMemcpy(out.data(), result, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0, sum = 0; i < n; sum += h[i++]) EXPECT(out[i] == sum);
  for (int* p : {in, result, sums}) CHECK_CUDA(cudaFree(p));
  return 0;
}
