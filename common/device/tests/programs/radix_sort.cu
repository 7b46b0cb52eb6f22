// SPDX-License-Identifier: MIT
// A radix sort by single bits, with ping-pong buffers: flags, a scan of flags, a scatter.
#include <algorithm>
#include <vector>

#include "check.h"

constexpr int kThreads = 128;

__global__ void scan_zero_flags(const unsigned* keys, int* positions, int* totals, int bit, int n) {
  __shared__ int warp_sums[kThreads / 32];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const bool is_zero = i < n && ((keys[i] >> bit) & 1) == 0;
  const unsigned votes = __ballot_sync(~0u, is_zero);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) warp_sums[warp] = __popc(votes);
  __syncthreads();
  int before = __popc(votes & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) before += warp_sums[w];
  if (i < n) positions[i] = before;
  if (threadIdx.x == kThreads - 1) totals[blockIdx.x] = before + is_zero;
}

__global__ void scatter(const unsigned* keys, unsigned* out, const int* positions,
                        const int* totals, int bit, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  int zeros_before = 0, zeros = 0;
  for (int b = 0; b < gridDim.x; ++b) {
    if (b < blockIdx.x) zeros_before += totals[b];
    zeros += totals[b];
  }
  const int rank = zeros_before + positions[i];
  out[(keys[i] >> bit & 1) ? zeros + i - rank : rank] = keys[i];
}

int main() {
  const int n = 700, blocks = (n + kThreads - 1) / kThreads, bits = 12;
  std::vector<unsigned> h(n), sorted(n);
  for (int i = 0; i < n; ++i) h[i] = i * 2654435761u >> (32 - bits);
  unsigned *d_keys, *d_alt;
  int *d_positions, *d_totals;
  CHECK_CUDA(cudaMalloc(&d_keys, n * sizeof(unsigned)));
  CHECK_CUDA(cudaMalloc(&d_alt, n * sizeof(unsigned)));
  CHECK_CUDA(cudaMalloc(&d_positions, n * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_totals, blocks * sizeof(int)));
  CHECK_CUDA(cudaMemcpy(d_keys, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  for (int bit = 0; bit < bits; ++bit) {
    scan_zero_flags<<<blocks, kThreads>>>(d_keys, d_positions, d_totals, bit, n);
    scatter<<<blocks, kThreads>>>(d_keys, d_alt, d_positions, d_totals, bit, n);
    std::swap(d_keys, d_alt);
  }
  CHECK_CUDA(cudaMemcpy(sorted.data(), d_keys, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::sort(h.begin(), h.end());
  EXPECT(sorted == h);
  cudaFree(d_keys), cudaFree(d_alt), cudaFree(d_positions), cudaFree(d_totals);
  return 0;
}
