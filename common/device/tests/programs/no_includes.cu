// SPDX-License-Identifier: MIT
// What nvcc offers to a file without an include, because its own headers read C's.

__global__ void write(int* d_out) { *d_out = INT_MAX; }

int main() {
  const clock_t start = clock();
  int* d_out = nullptr;
  if (cudaMalloc(&d_out, sizeof(int)) != cudaSuccess) return 1;
  write<<<1, 1>>>(d_out);
  int out = 0;
  if (cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  if (cudaFree(std::move(d_out)) != cudaSuccess) return 1;
  return out == INT_MAX && clock() >= start && time(nullptr) > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
