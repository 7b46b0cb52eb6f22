// SPDX-License-Identifier: MIT
// The first CUDA program of every course: c = a + b, with error checks and a partial last block.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                \
  do {                                                                             \
    cudaError_t err = call;                                                        \
    if (err != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
      exit(EXIT_FAILURE);                                                          \
    }                                                                              \
  } while (0)

__global__ void vector_add(const float* a, const float* b, float* c, int num_items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) c[i] = a[i] + b[i];
}

int main() {
  const int num_items = 50000;
  const size_t size_bytes = num_items * sizeof(float);
  std::vector<float> h_a(num_items), h_b(num_items), h_c(num_items);
  for (int i = 0; i < num_items; ++i) {
    h_a[i] = rand() / (float)RAND_MAX;
    h_b[i] = rand() / (float)RAND_MAX;
  }
  float *d_a = NULL, *d_b = NULL, *d_c = NULL;
  CHECK(cudaMalloc((void**)&d_a, size_bytes));
  CHECK(cudaMalloc((void**)&d_b, size_bytes));
  CHECK(cudaMalloc(&d_c, size_bytes));
  CHECK(cudaMemcpy(d_a, h_a.data(), size_bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, h_b.data(), size_bytes, cudaMemcpyHostToDevice));
  int threads_per_block = 256;
  int num_blocks = (num_items + threads_per_block - 1) / threads_per_block;
  vector_add<<<num_blocks, threads_per_block>>>(d_a, d_b, d_c, num_items);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h_c.data(), d_c, size_bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < num_items; ++i) {
    if (h_c[i] != h_a[i] + h_b[i]) {
      fprintf(stderr, "wrong at %d\n", i);
      return 1;
    }
  }
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  return 0;
}
