// SPDX-License-Identifier: MIT
// Softmax with a row in the registers of a warp: one read and one write per item, and no barrier.
// Rows of more than 1024 items are read twice, as in your 07c.
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRowsPerBlock = 4;       // a warp each
constexpr float kLog2E = 1.44269504f;  // exp(x) = exp2(x * kLog2E), and the hardware has exp2

// These three are 07c's. Bring the rest of your 07c, too: its kernel takes the long rows.
__device__ float power(float item, float largest) { return exp2f((item - largest) * kLog2E); }

// Of some items of a row: the largest, and the sum of all exp(item - largest).
struct Normalizer {
  float largest;
  float sum;
};

// Of no items. Not from -infinity: -infinity - -infinity would be NaN, and exp is 0 either way.
__device__ Normalizer nothing() { return {-FLT_MAX, 0.0f}; }

// Combines what the lanes of a warp have; all of them receive it. All 32 lanes must call.
__device__ Normalizer warp_combine(Normalizer mine) {
  // TODO 1. Your 07c's is right, but each of its five steps computes two powers. Find the largest
  //         item of all lanes first. How often does a lane then scale its sum?
  return mine;
}

// A row in the registers of a warp, kItems per lane: lane l has the items l, l + 32, l + 64, ...
template <int kItems>
__global__ void __launch_bounds__(kRowsPerBlock* kWarpSize)
    register_kernel(const float* d_in, int num_rows, int row_length, float* d_out) {
  float mine[kItems];
  // TODO 2. Which row is this warp's? The block is dim3(32, kRowsPerBlock). The last block may have
  //         rows too many: their warps may return. May a lane without items return, too?
  // TODO 3. Load all items before you use the first. The array stays in registers if the compiler
  //         knows every index: #pragma unroll. What do you put in for items past the row's end, so
  //         that their power is 0?
  // TODO 4. A lane knows its own largest item at once. Replace each item by its power, computed
  //         with that, and add the powers up.
  // TODO 5. When the Normalizer of the row is known: by which one factor does a lane multiply its
  //         powers? Write the shares of the items that exist.
}

}  // namespace

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  todo("07d_register_rows: write the kernel and its launches, then delete this line");

  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  // TODO 6. How many blocks have a warp for each row? Launch with 8 items per lane where they hold
  //         a row, with 32 where these do, and else your 07c's kernel.
  const dim3 block(kWarpSize, kRowsPerBlock);
  register_kernel<8><<<1, block, 0, stream>>>(d_in, num_rows, row_length, d_out);
  check_launch();
}

}  // namespace lab
