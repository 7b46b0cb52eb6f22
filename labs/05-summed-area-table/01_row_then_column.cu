// SPDX-License-Identifier: MIT
// Sums along the rows, then sums of those down the columns: two kernels, one thread per line.
// Right for every shape, and slow: find out which of the two is slow before you go on.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 128;

// d_out(x, y) = d_in(0, y) + ... + d_in(x, y). d_in, d_out: (height, width); one thread per row.
template <class T>
__global__ void rows_kernel(const T* d_in, int width, int height, T* d_out) {
  // TODO 1. Which row is this thread's? What must the threads of the last block do that have none?
  // TODO 2. Walk along the row with a running sum. Which index has pixel (x, y)? Of which type is
  //         the sum, if T may be float?
  // TODO 3. Is the pixel itself part of its sum? Check with the handout's 3 x 3 example.
}

// d_table(x, y) becomes d_table(x, 0) + ... + d_table(x, y). (height, width); a thread per column.
template <class T>
__global__ void columns_kernel(T* d_table, int width, int height) {
  // TODO 4. The same down the columns, in place. Why is that allowed here?
  // TODO 5. In one step of the loop, which 32 words does a warp read here, and which in the kernel
  //         above? How many sectors of 32 bytes are those?
}

// Both tables of the contract, from one template.
template <class T>
void build_table(const T* d_in, int width, int height, T* d_out, Scratch& /*scratch*/,
                 cudaStream_t stream) {
  todo("01_row_then_column: write the kernels and their launches, then delete this line");

  // TODO 6. How many blocks does each kernel need? What if there are no pixels?
  // TODO 7. The second kernel reads what the first has written. What makes it wait?
  const int num_blocks = 1;
  rows_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_in, width, height, d_out);
  check_launch();
  columns_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_out, width, height);
  check_launch();
}

}  // namespace

void summed_area_table(const int* d_in, int width, int height, int* d_out, Scratch& scratch,
                       cudaStream_t stream) {
  build_table(d_in, width, height, d_out, scratch, stream);
}

void summed_area_table_float(const float* d_in, int width, int height, float* d_out,
                             Scratch& scratch, cudaStream_t stream) {
  build_table(d_in, width, height, d_out, scratch, stream);
}

}  // namespace lab
