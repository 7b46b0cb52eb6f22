// SPDX-License-Identifier: MIT
// One block, one thread per item: after step k each word holds the sum of the last 2^k items, its
// own among them. log2 N steps, N log2 N additions.
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = kMaxItemsInOneBlock;

// Writes the exclusive scan of d_in (num_items) to d_out (num_items). One block;
// num_items <= kThreadsPerBlock.
__global__ void hillis_steele_kernel(const unsigned* d_in, int num_items, unsigned* d_out) {
  __shared__ unsigned tile[2][kThreadsPerBlock];  // read one, write the other

  // TODO 1. The steps make an inclusive scan. What must tile[0][t] hold so that what comes out
  //         is the exclusive scan of d_in? And what past the end?
  // TODO 2. In the step with `distance`, which two words of the source make word t of the other
  //         buffer? Which threads have no word that far to the left, and what do they write?
  // TODO 3. Double the distance. When is the last step done? All threads of the block must make the
  //         same number of steps: which numbers may the loop's condition depend on?
  // TODO 4. Where does the barrier go, and which two things does it wait for? With one buffer
  //         instead of two, a step needs a second barrier: where, and why?
  // TODO 5. In which of the two buffers is the result?
}

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  todo("02_hillis_steele: write the kernel, then delete this line");

  // TODO 6. One block scans kMaxItemsInOneBlock items. What does scan.cuh require for more?
  hillis_steele_kernel<<<1, kThreadsPerBlock, 0, stream>>>(as_unsigned(d_in), num_items,
                                                           as_unsigned(d_out));
  check_launch();
}

}  // namespace lab
