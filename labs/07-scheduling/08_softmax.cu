// SPDX-License-Identifier: MIT
// Softmax of rows of any length, first planned, then written, then as fast as memory is copied.
// Begin with rows of up to 1024 items, a warp per row. Then a block per row. Then registers.
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRowsPerBlock = 4;  // blocks of dim3(32, 4)

// Returns the largest of 32 values to all lanes. All 32 lanes must call.
__device__ float warp_max(float value) {
  // TODO 1. __shfl_xor_sync(mask, value, 16) returns the value of the lane whose number differs in
  //         one bit. Which five calls leave the result in all lanes, and not in lane 0 alone?
  return value;
}

// Returns the sum of 32 values to all lanes. All 32 lanes must call.
__device__ float warp_sum(float value) {
  // TODO 2. The same.
  return value;
}

// A warp per row: threadIdx.x is the lane, threadIdx.y the row within the block.
__global__ void warp_kernel(const float* d_in, int num_rows, int row_length, float* d_out) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= num_rows) return;  // whole warps, and there is no barrier
  // TODO 3. Which items of the row does a lane take, so that the warp reads neighbouring words? The
  //         largest, then the sum of exp(item - largest), then the shares: three passes.
  // TODO 4. What is exp(-infinity - -infinity), and which lane meets it? What if you begin with the
  //         lowest finite number?
  // TODO 5. A row of 256 items is 8 registers per lane. Keep it there, in an array with indices
  //         that the compiler knows: one read, one write. Then read it as float4: for
  //         which row lengths is that allowed?
  const float largest = warp_max(-FLT_MAX);
  const float sum = warp_sum(0.0f);
}

// TODO 6. A block per row, for rows of more than 1024 items. Warps meet in shared memory: what does
//         each of them leave there, and how many barriers does it take?
// TODO 7. A row that fits no registers is read twice, once for the largest and the sum, once for
//         the shares. Your kernel reads it three times? Let the sum run along with the largest so
//         far: what must you do with it when a larger item comes? And when the sums of two threads
//         are combined, whose largest differ?

}  // namespace

RowPlan plan_rows(int num_rows, int row_length, dim3 block) {
  todo("08_softmax: plan_rows");
  // TODO 8. Which blocks, warps and items are whole, and which must be rounded up?
  // TODO 9. Threads are numbered row by row, and 32 of them in a row are a warp. Of which rows are
  //         the threads in more than one? Try dim3(64, 2), dim3(16, 8) and dim3(24, 4).
  return {};
}

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  todo("08_softmax: softmax");

  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  const dim3 block(kWarpSize, kRowsPerBlock);
  const int num_blocks = plan_rows(num_rows, row_length, block).num_blocks;
  warp_kernel<<<num_blocks, block, 0, stream>>>(d_in, num_rows, row_length, d_out);
  check_launch();
}

}  // namespace lab
