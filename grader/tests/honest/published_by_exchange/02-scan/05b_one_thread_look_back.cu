// SPDX-License-Identifier: MIT
// style: a look-back that publishes by atomicExch and sleeps between volatile loads
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;  // an item each
constexpr unsigned kFullWarp = 0xffffffffu;

using Word = unsigned long long;
constexpr Word kAggregate = Word{1} << 32;
constexpr Word kPrefix = Word{2} << 32;

__device__ unsigned inclusive_warp_scan(unsigned value) {
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned before = __shfl_up_sync(kFullWarp, value, offset);
    if (threadIdx.x % 32 >= offset) value += before;
  }
  return value;
}

__device__ unsigned look_back(Word* d_words, int tile, unsigned aggregate) {
  if (tile == 0) {
    atomicExch(&d_words[0], kPrefix | aggregate);
    return 0;
  }
  atomicExch(&d_words[tile], kAggregate | aggregate);
  unsigned sum = 0;
  for (int before = tile - 1;; --before) {
    const volatile Word* const at = &d_words[before];
    Word word = *at;
    while (word == 0) {
      __nanosleep(100);
      word = *at;
    }
    sum += static_cast<unsigned>(word);
    if (word >= kPrefix) break;
  }
  atomicExch(&d_words[tile], kPrefix | (sum + aggregate));
  return sum;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    scan_kernel(const unsigned* d_in, int num_items, int* d_ticket, Word* d_words,
                unsigned* d_out) {
  __shared__ int tile;
  __shared__ unsigned warp_sums[32];
  __shared__ unsigned before_tile;
  const int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(d_ticket, 1);
  __syncthreads();
  const int item = tile * kThreadsPerBlock + t;
  const unsigned value = item < num_items ? d_in[item] : 0;
  const unsigned sum = inclusive_warp_scan(value);
  if (t % 32 == 31) warp_sums[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const unsigned sums = inclusive_warp_scan(warp_sums[t]);
    warp_sums[t] = sums;
    if (t == 31) before_tile = look_back(d_words, tile, sums);
  }
  __syncthreads();
  const unsigned before_warp = t < 32 ? 0 : warp_sums[t / 32 - 1];
  if (item < num_items) d_out[item] = before_tile + before_warp + sum - value;
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items == 0) return;
  const int num_tiles = ceil_div(num_items, kThreadsPerBlock);
  Word* const d_words = scratch.allocate<Word>(num_tiles + 1);
  check(cudaMemsetAsync(d_words, 0, (num_tiles + 1) * sizeof(Word), stream));
  scan_kernel<<<num_tiles, kThreadsPerBlock, 0, stream>>>(
      as_unsigned(d_in), num_items, reinterpret_cast<int*>(&d_words[num_tiles]), d_words,
      as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
