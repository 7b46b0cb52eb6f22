// SPDX-License-Identifier: MIT
// style: 16 bytes per lane: four neighbouring items per thread are scanned in registers, warps by
// shuffles
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreads = 256;
constexpr int kTile = 4 * kThreads;

__device__ uint4 load(const unsigned* d_in, int i, int num_items) {
  if (i + 3 < num_items) return *reinterpret_cast<const uint4*>(d_in + i);
  return make_uint4(i < num_items ? d_in[i] : 0, i + 1 < num_items ? d_in[i + 1] : 0,
                    i + 2 < num_items ? d_in[i + 2] : 0, 0);
}

__device__ void store(unsigned* d_out, int i, int num_items, uint4 items) {
  if (i + 3 < num_items) {
    *reinterpret_cast<uint4*>(d_out + i) = items;
  } else {
    if (i < num_items) d_out[i] = items.x;
    if (i + 1 < num_items) d_out[i + 1] = items.y;
    if (i + 2 < num_items) d_out[i + 2] = items.z;
  }
}

__device__ unsigned scan_warp(unsigned value) {
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned before = __shfl_up_sync(~0u, value, step);
    if (threadIdx.x % 32 >= step) value += before;
  }
  return value;
}

__global__ void __launch_bounds__(kThreads)
    scan_tiles(const unsigned* d_in, int num_items, unsigned* d_out, unsigned* d_sums) {
  __shared__ unsigned warps[kThreads / 32];
  const int i = blockIdx.x * kTile + 4 * threadIdx.x;
  const uint4 items = load(d_in, i, num_items);
  const unsigned own = items.x + items.y + items.z + items.w;
  const unsigned inclusive = scan_warp(own);
  if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = inclusive;
  __syncthreads();
  unsigned before = inclusive - own;
  for (unsigned w = 0; w < threadIdx.x / 32; ++w) before += warps[w];
  store(d_out, i, num_items,
        make_uint4(before, before + items.x, before + items.x + items.y,
                   before + items.x + items.y + items.z));
  if (threadIdx.x == kThreads - 1) d_sums[blockIdx.x] = before + own;
}

__global__ void add(const unsigned* d_sums, int num_items, unsigned* d_out) {
  const int i = blockIdx.x * kTile + 4 * threadIdx.x;
  uint4 items = load(d_out, i, num_items);
  const unsigned before = d_sums[blockIdx.x];
  items = make_uint4(items.x + before, items.y + before, items.z + before, items.w + before);
  store(d_out, i, num_items, items);
}

void scan(const unsigned* d_in, int num_items, unsigned* d_out, Scratch& scratch,
          cudaStream_t stream) {
  const int tiles = ceil_div(num_items, kTile);
  unsigned* const d_sums = scratch.allocate<unsigned>(tiles);
  scan_tiles<<<tiles, kThreads, 0, stream>>>(d_in, num_items, d_out, d_sums);
  check_launch();
  if (tiles == 1) return;
  scan(d_sums, tiles, d_sums, scratch, stream);
  add<<<tiles, kThreads, 0, stream>>>(d_sums, num_items, d_out);
  check_launch();
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  if (num_items > 0) scan(as_unsigned(d_in), num_items, as_unsigned(d_out), scratch, stream);
}

}  // namespace lab
