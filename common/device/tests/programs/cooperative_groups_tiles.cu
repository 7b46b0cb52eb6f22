// SPDX-License-Identifier: MIT
// Cooperative groups: a function over any group, tiles and tiles of tiles, coalesced groups that
// aggregate atomics, collectives, partitions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;
using namespace cooperative_groups;

__device__ int reduce_sum(thread_group g, int* temp, int val) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    temp[lane] = val;
    g.sync();
    if (lane < i) val += temp[lane + i];
    g.sync();
  }
  return val;
}

template <typename group_t>
__device__ int reduce_shuffle(group_t g, int val) {
  for (int i = g.num_threads() / 2; i > 0; i /= 2) val += g.shfl_down(val, i);
  return val;
}

__global__ void sum_kernel(int* sums, const int* input, int n) {
  __shared__ int temp[128];
  thread_block block = this_thread_block();
  const int i = block.group_index().x * block.size() + block.thread_rank();
  const int value = i < n ? input[i] : 0;
  const int block_sum = reduce_sum(block, temp, value);
  if (block.thread_rank() == 0) atomicAdd(&sums[0], block_sum);

  auto tile = tiled_partition<16>(block);
  const int tile_sum = reduce_shuffle(tile, value);
  if (tile.thread_rank() == 0) atomicAdd(&sums[1], tile_sum);

  thread_group half_warp = cg::tiled_partition(block, 16);
  const int group_sum = reduce_sum(half_warp, &temp[threadIdx.x / 16 * 16], value);
  if (half_warp.thread_rank() == 0) atomicAdd(&sums[2], group_sum);

  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  const int quad_sum = cg::reduce(quad, value, cg::plus<int>());
  if (quad.thread_rank() == 0) atomicAdd(&sums[3], quad_sum);
  const int most = cg::reduce(warp, value, cg::greater<int>());
  if (warp.meta_group_rank() == 0 && warp.thread_rank() == 0) atomicMax(&sums[4], most);
  if (quad.meta_group_rank() >= quad.meta_group_size() || quad.meta_group_size() != 8) sums[0] = -1;
  const int before = cg::exclusive_scan(warp, 1);
  if (before != (int)warp.thread_rank()) sums[1] = -1;
  if (cg::inclusive_scan(quad, value, cg::plus<int>()) != value && quad.thread_rank() == 0)
    sums[2] = -1;
}

__device__ int atomic_add_aggregated(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
  return active.shfl(first, 0) + active.thread_rank();
}

__global__ void filter(int* dst, int* count, const int* src, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {
    if (src[i] > 10) dst[atomic_add_aggregated(count)] = src[i];
  }
}

__global__ void partitions(int* out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto same = cg::labeled_partition(warp, threadIdx.x % 3);
  out[threadIdx.x] = 100 * same.meta_group_rank() + same.thread_rank();
  auto odd = cg::binary_partition(warp, threadIdx.x & 1);
  const unsigned votes = odd.ballot(odd.thread_rank() < 2);
  if (odd.size() != 16 || votes != 3u || !odd.all(true) || odd.any(false)) out[threadIdx.x] = -1;
  if (odd.shfl(threadIdx.x, 3) != 6 + threadIdx.x % 2) out[threadIdx.x] = -1;
  if (warp.match_any(threadIdx.x / 8) != 0xffu << (threadIdx.x / 8 * 8)) out[threadIdx.x] = -1;
}

int main() {
  const int n = 300;
  int *input, *sums, *dst;
  CHECK_CUDA(cudaMallocManaged(&input, n * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&sums, 5 * sizeof(int)));
  CHECK_CUDA(cudaMallocManaged(&dst, n * sizeof(int)));
  int expected = 0, num_kept = 0;
  for (int i = 0; i < n; ++i) {
    expected += input[i] = i * 17 % 23;
    num_kept += input[i] > 10;
  }
  for (int i = 0; i < 5; ++i) sums[i] = 0;
  sum_kernel<<<3, 128>>>(sums, input, n);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 4; ++i) EXPECT(sums[i] == expected);
  EXPECT(sums[4] == 22);

  sums[0] = 0;
  filter<<<2, 64>>>(dst, &sums[0], input, n);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(sums[0] == num_kept);
  for (int i = 0; i < num_kept; ++i) EXPECT(dst[i] > 10);

  partitions<<<1, 32>>>(dst);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) EXPECT(dst[i] == 100 * (i % 3) + i / 3);
  cudaFree(input), cudaFree(sums), cudaFree(dst);
  return 0;
}
