// SPDX-License-Identifier: MIT
// Votes, shuffles, matches and bit intrinsics: stream compaction,
// a warp scan, a warp sort, leaders.
#include "check.h"

#define FULL_MASK 0xffffffff

__global__ void compact(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % warpSize;
  const bool keep = i < n && in[i] % 3 == 0;
  const unsigned votes = __ballot_sync(FULL_MASK, keep);
  int base = 0;
  if (lane == 0 && votes) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(FULL_MASK, base, 0);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}

__global__ void warp_scan(int* data) {
  int value = data[threadIdx.x];
  for (int delta = 1; delta < 32; delta <<= 1) {
    const int other = __shfl_up_sync(FULL_MASK, value, delta);
    if (threadIdx.x >= delta) value += other;
  }
  data[threadIdx.x] = value;
}

__global__ void bitonic_sort_warp(unsigned* data) {
  unsigned value = data[threadIdx.x];
  for (int k = 2; k <= 32; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      const unsigned other = __shfl_xor_sync(FULL_MASK, value, j);
      const bool up = (threadIdx.x & k) == 0, lower = (threadIdx.x & j) == 0;
      value = (lower == up) ? min(value, other) : max(value, other);
    }
  data[threadIdx.x] = value;
}

__global__ void leaders(const int* keys, int* counts) {
  const unsigned peers = __match_any_sync(FULL_MASK, keys[threadIdx.x]);
  const int leader = __ffs(peers) - 1;
  if ((int)threadIdx.x == leader) atomicAdd(&counts[keys[threadIdx.x]], __popc(peers));
  int same;
  __match_all_sync(FULL_MASK, keys[threadIdx.x] >= 0, &same);
  if (!same || !__all_sync(FULL_MASK, peers != 0) || __any_sync(FULL_MASK, leader > 31))
    counts[0] = -1000;
  const int segment_sum = __shfl_sync(FULL_MASK, (int)threadIdx.x, 0, 8);
  if (segment_sum != (int)threadIdx.x / 8 * 8) counts[0] = -1000;
  if (threadIdx.x < 16 && __reduce_add_sync(0xffff, 2u) != 32) counts[0] = -1000;
}

__global__ void bits(unsigned* out) {
  out[0] = __brev(1u), out[1] = __clz(1), out[2] = __ffs(8), out[3] = __popcll(~0ull);
  out[4] = __byte_perm(0x33221100, 0x77665544, 0x0426), out[5] = __umulhi(1u << 31, 6);
  out[6] = __funnelshift_l(0x80000000u, 1u, 1), out[7] = __float_as_uint(1.0f);
  out[8] = __float2int_rn(2.5f), out[9] = __dp4a(0x01020304, 0x01010101, 5);
}

int main() {
  const int n = 100;
  int *in, *out, *count;
  CHECK_CUDA(cudaMallocManaged(&in, 128 * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&out, 128 * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&count, 16 * sizeof(int)));
  for (int i = 0; i < n; ++i) in[i] = i;
  count[0] = 0;
  compact<<<4, 32>>>(in, out, count, n);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(count[0] == 34);
  for (int i = 0; i < 34; ++i) EXPECT(out[i] % 3 == 0);
  warp_scan<<<1, 32>>>(in);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) EXPECT(in[i] == i * (i + 1) / 2);
  for (int i = 0; i < 32; ++i) in[i] = i * 37 % 32;
  bitonic_sort_warp<<<1, 32>>>((unsigned*)in);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) EXPECT(in[i] == i);
  for (int i = 0; i < 16; ++i) count[i] = 0;
  for (int i = 0; i < 32; ++i) in[i] = i * i % 5;
  leaders<<<1, 32>>>(in, count);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(count[0] == 7 && count[1] == 13 && count[2] == 0 && count[4] == 12);
  bits<<<1, 1>>>((unsigned*)out);
  CHECK_CUDA(cudaDeviceSynchronize());
  const unsigned expected[] = {1u << 31, 31, 4, 64, 0x00442266, 3, 3, 0x3f800000, 2, 15};
  for (int i = 0; i < 10; ++i) EXPECT((unsigned)out[i] == expected[i]);
  cudaFree(in), cudaFree(out), cudaFree(count);
  return 0;
}
