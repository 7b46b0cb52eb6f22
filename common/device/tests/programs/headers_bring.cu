// SPDX-License-Identifier: MIT
// What programs use without its header, because CUDA's own headers bring it; and the texts of
// errors in a kernel.
#include <curand.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/zip_iterator.h>

#include "check.h"

#ifndef CURAND_H_
#error "programs ask by this name whether cuRAND is there"
#endif

__global__ void name_error(char* d_first) {
  d_first[0] = cudaGetErrorName(cudaErrorInvalidValue)[4];    // cudaErrorInvalidValue
  d_first[1] = cudaGetErrorString(cudaErrorInvalidValue)[0];  // invalid argument
}

int main() {
  char* d_first = nullptr;
  char first[2] = {};
  CHECK_CUDA(cudaMalloc(&d_first, sizeof first));
  name_error<<<1, 1>>>(d_first);
  CHECK_CUDA(cudaMemcpy(first, d_first, sizeof first, cudaMemcpyDeviceToHost));
  EXPECT(first[0] == 'E' && first[1] == 'i');
  CHECK_CUDA(cudaFree(d_first));
  EXPECT(thrust::get<1>(thrust::make_tuple(1, 2)) == 2);
  std::cout << "right\n";
}
