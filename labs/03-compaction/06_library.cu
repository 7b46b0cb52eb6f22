// SPDX-License-Identifier: MIT
// The same by CUB, NVIDIA's library, as far as it goes: it writes the others of a partition
// backwards.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "compaction.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;

// Calls a function of CUB, `call(d_temporary, size_bytes)`.
template <class Call>
void with_temporary(Scratch& scratch, const Call& call) {
  std::size_t size_bytes = 0;
  // TODO 1. With nullptr for d_temporary, a call only sets size_bytes: nothing is launched. Then
  //         call again, with that much of scratch. Both calls return an error code: check() it.
}

// Reverses items[*d_count] to items[num_items - 1].
__global__ void reverse_others_kernel(int* items, const int* d_count, int num_items) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  // TODO 2. Thread i swaps two items. Which, and how many threads have a pair?
}

}  // namespace

void compact(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
             Scratch& scratch, cudaStream_t stream) {
  todo("06_library: compact");
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    // TODO 3. cub::DeviceSelect::If. Where does it write the number of items, and when can the host
    //         know it?
    return cudaSuccess;
  });
}

void partition(const int* d_in, int num_items, Predicate keep, int* d_out, int* d_count,
               Scratch& scratch, cudaStream_t stream) {
  todo("06_library: partition");
  // TODO 4. cub::DevicePartition::If. Read in its documentation how it orders the items that are
  //         not kept, and compare with the contract.
  // TODO 5. Launch reverse_others_kernel. The host does not know *d_count: how large must the grid
  //         be?
}

}  // namespace lab
