// SPDX-License-Identifier: MIT
// right: pointers to local variables that stay inside, or that only compare one past the end.
#include <cstdio>
#include <cstring>

struct Pair {
  int head[3];
  int tail[2];
};

__device__ __noinline__ void fill(int* items, int n) {
  for (int i = 0; i < n; ++i) items[i] = i;
}

__device__ __noinline__ int sum(const int* begin, const int* end) {
  int total = 0;
  for (const int* item = begin; item != end; ++item) total += *item;
  return total;
}

// Each call has an array of its own, and writes to its caller's.
__device__ __noinline__ int sum_below(int* above, int n) {
  int own[2] = {n, 0};
  above[1] = n;
  return n == 0 ? own[0] : own[0] + sum_below(own, n - 1) + own[1];
}

__global__ void sum_kernel(int n, int* out) {
  int first[4];
  int second[4];
  fill(first, n);
  fill(second, n);
  out[0] = sum(first, first + 4) + sum(second, &second[n]);  // 6 + 6

  int table[2][3];
  for (int row = 0; row < 2; ++row) fill(table[row], n - 1);
  out[1] = sum(table[0], table[1]) + sum(table[1], table[1] + 3);  // 3 + 3

  Pair pair;
  fill(pair.head, n - 1);
  fill(pair.tail, n - 2);
  Pair copy;
  memcpy(&copy, &pair, sizeof copy);
  Pair assigned = copy;
  out[2] = sum(assigned.head, assigned.head + 3) + sum(copy.tail, copy.tail + 2);  // 3 + 1

  union {
    int words[4];
    unsigned char bytes[16];
  } both;
  memset(both.bytes, 0, sizeof both);
  both.bytes[15] = static_cast<unsigned char>(n);
  out[3] = both.words[n - 1] >> 24;  // 4

  int scalar = n;
  int* const one = &scalar;
  *one += 1;
  out[4] = sum(one, one + 1);  // 5

  int above[2] = {};
  out[5] = sum_below(above, n) + above[1];  // 4 + 3 + 2 + 1 + (3 + 2 + 1 + 0) + 4

  alignas(16) float quad[4] = {1, 2, 3, 4};
  const float4 whole = *reinterpret_cast<const float4*>(quad);
  out[6] = static_cast<int>(whole.x + whole.w);  // 5

  const int* last = first + n;
  while (last != first) --last;
  out[7] = *last + 1;  // 1
}

int main() {
  constexpr int kExpected[8] = {12, 6, 4, 4, 5, 20, 5, 1};
  int* d_out;
  cudaMalloc(&d_out, sizeof kExpected);
  sum_kernel<<<1, 1>>>(4, d_out);
  int h_out[8] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(std::memcmp(h_out, kExpected, sizeof h_out) == 0 ? "PASS" : "FAIL");
  cudaFree(d_out);
}
