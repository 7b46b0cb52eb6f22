// SPDX-License-Identifier: MIT
// Sorts by one bit per pass, lowest bit first: a stable split, 32 times.
// New: a scan says where each key goes, so all of them move at once. Cost: 32 passes, each of
// flags, scan and scatter, about 40 bytes per key. Source: G. E. Blelloch, "Prefix Sums and Their
// Applications", 1990; M. Harris, S. Sengupta, J. Owens in GPU Gems 3, chapter 39, 2007.
#include <cstdint>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kKeyBits = 32;

// d_e (num_items): 1 for a key whose bit is 0.
__global__ void flag_kernel(const std::uint32_t* d_in, int num_items, int bit, int* d_e) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i < num_items) d_e[i] = d_in[i] >> bit & 1 ? 0 : 1;
}

// d_e, d_f (num_items): the flags and their exclusive scan.
__global__ void scatter_kernel(const std::uint32_t* d_in, int num_items, int bit, const int* d_e,
                               const int* d_f, std::uint32_t* d_out, int* d_total_falses) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i >= num_items) return;
  // The scan is exclusive: the last key's own flag is not in it.
  const int total_falses = d_e[num_items - 1] + d_f[num_items - 1];
  if (i == 0) *d_total_falses = total_falses;

  const std::uint32_t key = d_in[i];
  const int f = d_f[i];                  // falses before i
  const int t = i - f + total_falses;    // trues before i, after all falses
  const int d = key >> bit & 1 ? t : f;  // no two keys get the same place
  d_out[d] = key;
}

// One pass. d_e, d_f (num_items) are overwritten.
void split_with(int* d_e, int* d_f, const std::uint32_t* d_in, int num_items, int bit,
                std::uint32_t* d_out, int* d_total_falses, Scratch& scratch, cudaStream_t stream) {
  const int num_blocks = ceil_div(num_items, kThreadsPerBlock);
  flag_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, bit, d_e);
  check_launch();
  exclusive_scan(d_e, num_items, d_f, scratch, stream);
  scatter_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, bit, d_e, d_f, d_out,
                                                              d_total_falses);
  check_launch();
}

}  // namespace

void split(const std::uint32_t* d_in, int num_items, int bit, std::uint32_t* d_out,
           int* d_total_falses, Scratch& scratch, cudaStream_t stream) {
  if (num_items == 0) return check(cudaMemsetAsync(d_total_falses, 0, sizeof(int), stream));
  int* d_e = scratch.allocate<int>(num_items);
  int* d_f = scratch.allocate<int>(num_items);
  split_with(d_e, d_f, d_in, num_items, bit, d_out, d_total_falses, scratch, stream);
}

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  if (num_items == 0) return;
  // No key may be overwritten before it is read: the passes alternate between two arrays. 32 is
  // even, so the first one writes to scratch and the last one to d_out.
  std::uint32_t* d_to = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* d_other = d_out;
  int* d_e = scratch.allocate<int>(num_items);
  int* d_f = scratch.allocate<int>(num_items);
  int* d_total_falses = scratch.allocate<int>(1);
  const std::uint32_t* d_from = d_in;
  for (int bit = 0; bit < kKeyBits; ++bit) {
    split_with(d_e, d_f, d_from, num_items, bit, d_to, d_total_falses, scratch, stream);
    d_from = d_to;
    std::swap(d_to, d_other);
  }
}

}  // namespace lab
