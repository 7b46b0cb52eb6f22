// SPDX-License-Identifier: MIT
// Scans of other kinds and under other operators: your 05 with its choices made parameters.
//   combine  (earlier value, later value) -> value, associative; it need not commute
//   identity the value that changes nothing, on either side
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {

// The choices for a plain sum. Write the others next to them.
struct Add {
  static constexpr unsigned kIdentity = 0;
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

namespace {

enum class Kind { kExclusive, kInclusive };

constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerBlock = 2 * kThreadsPerBlock;

// Scans each block's tile of d_in on its own; d_block_sums (gridDim.x) gets what the tiles combine
// to.
template <Kind kind, class T, class Combine>
__global__ void scan_blocks_kernel(const T* d_in, int num_items, T* d_out, T* d_block_sums,
                                   Combine combine) {
  // TODO 1. Begin with your 05. Where does it write 0 or +? Each such place becomes
  //         Combine::kIdentity or combine(earlier, later). On the way down, which of the two is
  //         earlier: what lies before the node, or its left child?
  // TODO 2. How does an item's inclusive result follow from its exclusive one? What must the thread
  //         have kept?
}

// Puts d_increments[block] before each item of a block's tile.
template <class T, class Combine>
__global__ void add_increments_kernel(const T* d_increments, int num_items, T* d_items,
                                      Combine combine) {
  // TODO 3. On which side?
}

// d_out may be d_in.
template <Kind kind, class T, class Combine>
void scan(const T* d_in, int num_items, T* d_out, Combine combine, Scratch& scratch,
          cudaStream_t stream) {
  // TODO 4. The levels of your 05. Of which kind are the scans of the block sums?
  const int num_blocks = 1;
  T* d_block_sums = scratch.allocate<T>(num_blocks);
  scan_blocks_kernel<kind>
      <<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, num_items, d_out, d_block_sums, combine);
  check_launch();
  add_increments_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_block_sums, num_items, d_out,
                                                                     combine);
  check_launch();
}

}  // namespace

// Replace in each function what does not fit, and delete the todo.

void inclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("07_conversions: inclusive_scan");
  scan<Kind::kExclusive>(as_unsigned(d_in), num_items, as_unsigned(d_out), Add{}, scratch, stream);
}

void inclusive_from_exclusive(const int* /*d_in*/, const int* /*d_exclusive*/, int /*num_items*/,
                              int* /*d_out*/, Scratch& /*scratch*/, cudaStream_t /*stream*/) {
  todo("07_conversions: inclusive_from_exclusive");
  // TODO. A kernel of one line. Why is it right in place as well?
}

void exclusive_from_inclusive(const int* /*d_inclusive*/, int /*num_items*/, int* /*d_out*/,
                              Scratch& /*scratch*/, cudaStream_t /*stream*/) {
  todo("07_conversions: exclusive_from_inclusive");
  // TODO. You do not have d_in, and for most operators you could not subtract it. What else is an
  // exclusive scan, seen from the inclusive one? Would this kernel be right in place?
}

void exclusive_scan_in_place(int* /*d_items*/, int /*num_items*/, Scratch& /*scratch*/,
                             cudaStream_t /*stream*/) {
  todo("07_conversions: exclusive_scan_in_place");
  // TODO. Does any block read what another one may have overwritten?
}

void exclusive_max_scan(const int* /*d_in*/, int /*num_items*/, int* /*d_out*/,
                        Scratch& /*scratch*/, cudaStream_t /*stream*/) {
  todo("07_conversions: exclusive_max_scan");
  // TODO. Is 0 the identity here? Try it on negative items.
}

void inclusive_affine_scan(const AffineMap* /*d_in*/, int /*num_maps*/, AffineMap* /*d_out*/,
                           Scratch& /*scratch*/, cudaStream_t /*stream*/) {
  todo("07_conversions: inclusive_affine_scan");
  // TODO. First x -> a x + b, then x -> c x + d: what are scale and shift of the two together?
  // Which map changes nothing?
}

}  // namespace lab
