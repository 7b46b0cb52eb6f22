// SPDX-License-Identifier: MIT
// Softmax as fast as memory is copied: a row stays in the registers of its threads between the read
// and the write. A row belongs to some lanes of a warp, to a warp, or to a block.
// Begin with a warp per row, rows of 256. Then other lengths.
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kRowThreads = 1024;      // of a row that fits no registers
constexpr int kThreadsPerBlock = 128;  // of blocks with several rows

// TODO 1. Your 07c's Normalizer and its functions, and online_kernel for the longest rows. What
//         changes in warp_combine if a row has kLanes neighbouring lanes, 2 to 32 of them? And in
//         row_combine if a row has kThreads threads, 2 to 1024? Make both numbers parameters of
//         templates. How often does a lane scale its sum, and how often would do?

// Neighbouring items, which travel as one Vector: float4 where rows are aligned, else float.
template <class Vector>
struct alignas(Vector) Items {
  static constexpr int kWidth = sizeof(Vector) / sizeof(float);
  float item[kWidth];
};

// Reads and writes that no cache need keep: nothing is read again.
template <class Vector>
__device__ Items<Vector> load(const float* d_row, int vector) {
  Items<Vector> items;
  reinterpret_cast<Vector&>(items) = __ldcs(reinterpret_cast<const Vector*>(d_row) + vector);
  return items;
}

template <class Vector>
__device__ void store(float* d_row, int vector, Items<Vector> items) {
  __stcs(reinterpret_cast<Vector*>(d_row) + vector, reinterpret_cast<Vector&>(items));
}

// A row in the registers of kThreads threads, kItems each; blockDim.y rows a block.
template <class Vector, int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads > kWarpSize ? kThreads : kThreadsPerBlock)
    register_kernel(const float* d_in, int num_rows, int row_length, float* d_out) {
  constexpr int kVectors = kItems / Items<Vector>::kWidth;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  Items<Vector> mine[kVectors];
  // TODO 2. Load them all before you use the first. An array stays in registers if the compiler
  //         knows every index: #pragma unroll. What stands for the items behind the row's end, so
  //         that their power is 0?
  // TODO 3. The last block may have rows too many. Their threads may return, although the shuffles
  //         name them, but threads behind the end of a row may not. Why?
  // TODO 4. A thread knows its own largest item at once. Compute all powers with it, once. By which
  //         factor do you multiply them when the row's Normalizer is known?
}

struct Rows {
  const float* d_in;
  int num_rows;
  int row_length;
  float* d_out;
  cudaStream_t stream;
};

// Launches register_kernel, if kThreads * kItems items hold a row; returns whether they do.
template <class Vector, int kThreads, int kItems>
bool fits_registers(const Rows& rows) {
  // TODO 5. How many rows does a block have, so that it has at least kThreadsPerBlock threads?
  return false;
}

// The same for the first numbers of threads and items that hold a row; returns whether any do.
template <class Vector>
bool fits_registers(const Rows& rows) {
  // TODO 6. Add more. A few lanes with 8 items each have as many bytes under way as 32 lanes
  //         with 8. Rows of 5, of 33, of 1024, of 32,768: how many threads, how many items?
  return fits_registers<Vector, 32, 8>(rows);
}

}  // namespace

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  todo("08_softmax: write the kernel and its helpers, then delete this line");

  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  const Rows rows = {d_in, num_rows, row_length, d_out, stream};
  // TODO 7. Which rows may be read as float4? And what takes the rows that fit no registers?
  fits_registers<float>(rows);
}

}  // namespace lab
