// SPDX-License-Identifier: MIT
// The same by CUB, NVIDIA's library. It writes the others of a partition backwards.
// New: temporary memory that the library asks for; a kernel of your own for what it leaves.
// Cost: of compact as in 03; of partition one more pass over the items that are not kept.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// Calls `call(d_temporary, size_bytes)` twice: with null, which only sets the size that the library
// needs, and with that much of scratch.
template <class Call>
void with_temporary(Scratch& scratch, const Call& call) {
  std::size_t size_bytes = 0;
  check(call(nullptr, size_bytes));
  check(call(scratch.allocate<char>(size_bytes), size_bytes));
}

// Reverses items[*d_count] to items[num_items - 1]. The host does not know *d_count, so the grid is
// for all items.
__global__ void reverse_others_kernel(int* items, const int* d_count, int num_items) {
  const int first = *d_count;
  const int num_others = num_items - first;
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i >= num_others / 2) return;
  const int item = items[first + i];
  items[first + i] = items[num_items - 1 - i];
  items[num_items - 1 - i] = item;
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceSelect::If(d_temporary, size_bytes, d_in, d_out, d_count, num_items, keep,
                                 stream);
  });
}

void partition(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
               Scratch& scratch, cudaStream_t stream) {
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DevicePartition::If(d_temporary, size_bytes, d_in, d_out, d_count, num_items, keep,
                                    stream);
  });
  const int most_swaps = num_items / 2;
  if (most_swaps == 0) return;
  reverse_others_kernel<<<ceil_div(most_swaps, kThreadsPerBlock), kThreadsPerBlock, 0, stream>>>(
      d_out, d_count, num_items);
  check_launch();
}

}  // namespace lab
