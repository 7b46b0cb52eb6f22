// SPDX-License-Identifier: MIT
// Each warp sums its lanes with shuffles in inline PTX; a predicate guards the load.
__global__ void sum(const int* items, int num_items, int* sums) {
  int x = 0, lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile(
      "{ .reg .pred inside;\n\t"
      "setp.lt.s32 inside, %1, %2;\n\t"
      "@inside ld.global.nc.s32 %0, [%3]; }"
      : "+r"(x)
      : "r"(threadIdx.x), "r"(num_items), "l"(items + threadIdx.x));
  for (int step = 16; step > 0; step /= 2) {
    int other;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=r"(other)
                 : "r"(x), "r"(step));
    x += other;
  }
  if (lane == 0) sums[threadIdx.x / 32] = x;
}

int main() {
  int h_items[60];
  for (int i = 0; i < 60; ++i) h_items[i] = i;
  int *d_items, *d_sums;
  cudaMalloc(&d_items, sizeof h_items);
  cudaMalloc(&d_sums, 2 * sizeof(int));
  cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
  sum<<<1, 64>>>(d_items, 60, d_sums);
  int h_sums[2] = {};
  cudaMemcpy(h_sums, d_sums, sizeof h_sums, cudaMemcpyDeviceToHost);
  const bool is_right = h_sums[0] == 496 && h_sums[1] == 1274;
  cudaFree(d_items);
  cudaFree(d_sums);
  return is_right ? 0 : 1;
}
