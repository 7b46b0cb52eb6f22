// SPDX-License-Identifier: MIT
// Softmax as fast as memory is copied, for rows of any length: the kernel of 07d with two more
// parameters. Items travel by vectors, and a row belongs to some lanes of a warp, to a warp, or to
// a block. Begin with fits_registers<Vector, 32, 8> alone, which is your 07d. Then let the others
// fit.
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr int kRowThreads = 1024;      // of a row that fits no registers
constexpr int kThreadsPerBlock = 128;  // of blocks with several rows
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr float kLog2E = 1.44269504f;  // exp(x) = exp2(x * kLog2E), and the hardware has exp2

// The next three are 07d's.
__device__ float power(float item, float largest) { return exp2f((item - largest) * kLog2E); }

// Of some items of a row: the largest, and the sum of all exp(item - largest).
struct Normalizer {
  float largest;
  float sum;
};

// Of no items. Not from -infinity: -infinity - -infinity would be NaN, and exp is 0 either way.
__device__ Normalizer nothing() { return {-FLT_MAX, 0.0f}; }

// Combines what kLanes neighbouring lanes have, 2 to 32 of them; all of them receive it.
template <int kLanes>
__device__ Normalizer lanes_combine(Normalizer mine) {
  // TODO 1. Your 07d's warp_combine, for kLanes lanes. Which masks stay within them?
  return mine;
}

// The same for the kThreads threads of a row, 2 to 1024; once per kernel.
template <int kThreads>
__device__ Normalizer row_combine(Normalizer mine) {
  // TODO 2. For more than a warp, your 07c's row_combine. Choose by if constexpr.
  return lanes_combine<kThreads>(mine);
}

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
  // TODO 3. Your 07d's kernel, with vectors in place of items: thread t of the row has the vectors
  //         t, t + kThreads, t + 2 * kThreads, ... How many vectors has a row?
  // TODO 4. The last block may have rows too many. Their lanes may return, although the shuffles
  //         name all lanes of the warp, but lanes past the end of a row may not. Why?
}

// A block per row of any length, as in 07c, but by vectors: for rows that fit no registers.
template <class Vector>
__global__ void __launch_bounds__(kRowThreads)
    online_kernel(const float* d_in, int row_length, float* d_out) {
  const int num_vectors = row_length / Items<Vector>::kWidth;
  const int first_item = blockIdx.x * row_length;
  const auto* d_row = reinterpret_cast<const Vector*>(d_in + first_item);  // (num_vectors)

  Normalizer own = nothing();
  int vector = threadIdx.x;
#pragma unroll 8  // eight loads are under way before the first item is combined
  for (; vector < num_vectors; vector += kRowThreads) {
    Items<Vector> items;
    reinterpret_cast<Vector&>(items) = d_row[vector];  // worth caching: read again below
    float largest = own.largest;
    for (const float item : items.item) largest = fmaxf(largest, item);
    own.sum *= power(own.largest, largest);  // once per vector, not per item
    own.largest = largest;
    for (const float item : items.item) own.sum += power(item, largest);
  }

  const Normalizer all = row_combine<kRowThreads>(own);
  const float scale = 1.0f / all.sum;
  // Backwards: what was read last is the most likely to be in the L2 cache still.
#pragma unroll 8
  for (vector -= kRowThreads; vector >= 0; vector -= kRowThreads) {
    Items<Vector> items = load<Vector>(d_in + first_item, vector);
    for (float& item : items.item) item = power(item, all.largest) * scale;
    store(d_out + first_item, vector, items);
  }
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
  if (rows.row_length > kThreads * kItems) return false;
  // TODO 5. How many rows does a block have, so that it has at least kThreadsPerBlock threads?
  const int rows_per_block = 1;
  const dim3 block(kThreads, rows_per_block);
  const int num_blocks = ceil_div(rows.num_rows, rows_per_block);
  register_kernel<Vector, kThreads, kItems><<<num_blocks, block, 0, rows.stream>>>(
      rows.d_in, rows.num_rows, rows.row_length, rows.d_out);
  check_launch();
  return true;
}

// As few registers as will do: the more threads fit, the more loads are under way. A row's lanes
// read at least 32 neighbouring bytes at a time, a whole sector. The first that holds a row is
// launched; || does not call the others.
template <class Vector>
bool fits_registers(const Rows& rows) {
  return fits_registers<Vector, 2, 4>(rows) || fits_registers<Vector, 2, 8>(rows) ||
         fits_registers<Vector, 4, 8>(rows) || fits_registers<Vector, 8, 8>(rows) ||
         fits_registers<Vector, 16, 8>(rows) || fits_registers<Vector, 32, 8>(rows) ||
         fits_registers<Vector, 32, 16>(rows) || fits_registers<Vector, 32, 32>(rows) ||
         fits_registers<Vector, 256, 16>(rows) || fits_registers<Vector, 256, 32>(rows) ||
         fits_registers<Vector, 512, 32>(rows) || fits_registers<Vector, 1024, 32>(rows);
}

template <class Vector>
void softmax_by(const Rows& rows) {
  if (fits_registers<Vector>(rows)) return;
  online_kernel<Vector>
      <<<rows.num_rows, kRowThreads, 0, rows.stream>>>(rows.d_in, rows.row_length, rows.d_out);
  check_launch();
}

}  // namespace

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  todo("08_softmax: write the kernel and its helpers, then delete this line");

  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  const Rows rows = {d_in, num_rows, row_length, d_out, stream};
  // TODO 6. Which rows may be read as float4?
  softmax_by<float>(rows);
}

}  // namespace lab
