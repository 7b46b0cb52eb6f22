// SPDX-License-Identifier: MIT
// An algorithm comes after the kernels of its stream. Ends with 0 if it does.

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
__global__ void fill(int* items) { items[threadIdx.x] = 63 - threadIdx.x; }
int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  thrust::device_vector<int> v(64);
  fill<<<1, 64, 0, s>>>(thrust::raw_pointer_cast(v.data()));
  thrust::sort(thrust::cuda::par.on(s), v.begin(), v.end());
  fill<<<1, 64, 0, s>>>(thrust::raw_pointer_cast(v.data()));
  thrust::sort(thrust::cuda::par_nosync.on(s), v.begin(), v.end());
  cudaStreamSynchronize(s);  // the last sort does not wait
  cudaStreamDestroy(s);
  return v[0] + v[63] - 63;
}
