// SPDX-License-Identifier: MIT
// Sorts by one bit per pass, lowest bit first: keys with bit 0 go to the front, the others after
// them, both in their order.
#include <cstdint>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "lab/todo.cuh"
#include "radix_sort.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kKeyBits = 32;

// d_e (num_items): 1 for a key whose bit is 0.
__global__ void flag_kernel(const std::uint32_t* d_in, int num_items, int bit, int* d_e) {
  // TODO 1. One thread per key: write e. The last block has threads without a key.
}

// d_e, d_f (num_items): the flags and their exclusive scan.
__global__ void scatter_kernel(const std::uint32_t* d_in, int num_items, int bit, const int* d_e,
                               const int* d_f, std::uint32_t* d_out, int* d_total_falses) {
  // TODO 2. How many keys go to the front? Two numbers at the end of d_e and d_f give it. Why two?
  // TODO 3. f is the place of a key that goes to the front. What is t, the place of one that does
  //         not? How many keys that do not go to the front are before key i?
  // TODO 4. d is t or f. Can two keys get the same d? The key itself says which of the two it is:
  //         its flag need not be read again.
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
  todo("01_split: write the two kernels, then delete this line");

  // TODO 5. What if there are no keys? A launch of 0 blocks is an error, and the contract says what
  //         *d_total_falses is then.
  int* d_e = scratch.allocate<int>(num_items);
  int* d_f = scratch.allocate<int>(num_items);
  split_with(d_e, d_f, d_in, num_items, bit, d_out, d_total_falses, scratch, stream);
}

void radix_sort(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out, Scratch& scratch,
                cudaStream_t stream) {
  todo("01_split: call split_with for each bit, then delete this line");

  // All passes share this memory: scratch takes nothing back.
  int* d_e = scratch.allocate<int>(num_items);
  int* d_f = scratch.allocate<int>(num_items);
  int* d_total_falses = scratch.allocate<int>(1);
  std::uint32_t* d_other = scratch.allocate<std::uint32_t>(num_items);
  // TODO 6. A pass may not write where it reads. d_in must stay as it is. Which arrays do the
  //         kKeyBits passes read and write, and which one does the last pass write?
  // TODO 7. Why must the lowest bit come first? What would happen with the highest bit first?
}

}  // namespace lab
