// SPDX-License-Identifier: MIT
// Softmax of rows of any length, as fast as memory is copied: the kernel of 07d, by vectors. New: a
// warp takes several short rows, each by some of its lanes, and a row of up to 32,768 items belongs
// to a block. Longer rows are read twice, as in 07c.
// Limit: the speed of a copy.
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRowThreads = 1024;      // of a row that fits no registers
constexpr int kThreadsPerBlock = 128;  // of blocks with several rows
constexpr float kLog2E = 1.44269504f;  // exp(x) = exp2(x * kLog2E), and the hardware has exp2

__device__ float power(float item, float largest) { return exp2f((item - largest) * kLog2E); }

// Of some items of a row: the largest, and the sum of all exp(item - largest).
struct Normalizer {
  float largest;
  float sum;
};

// Of no items. Not from -infinity: -infinity - -infinity would be NaN, and exp is 0 either way.
__device__ Normalizer nothing() { return {-FLT_MAX, 0.0f}; }

// Combines what kLanes neighbouring lanes have; all of them receive it. All of them must call. The
// largest of all first: then a lane scales its sum once, and not in every step.
template <int kLanes>
__device__ Normalizer lanes_combine(Normalizer mine) {
  float largest = mine.largest;
  for (int mask = kLanes / 2; mask >= 1; mask /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(kFullWarp, largest, mask));
  }
  float sum = mine.sum * power(mine.largest, largest);
  for (int mask = kLanes / 2; mask >= 1; mask /= 2) {
    sum += __shfl_xor_sync(kFullWarp, sum, mask);
  }
  return {largest, sum};
}

// The same for the kThreads threads of a row; once per kernel, as nothing guards `warps` from
// reuse.
template <int kThreads>
__device__ Normalizer row_combine(Normalizer mine) {
  if constexpr (kThreads <= kWarpSize) {
    return lanes_combine<kThreads>(mine);
  } else {
    constexpr int kNumWarps = kThreads / kWarpSize;
    __shared__ Normalizer warps[kNumWarps];
    const int lane_id = threadIdx.x % kWarpSize;
    mine = lanes_combine<kWarpSize>(mine);
    if (lane_id == 0) warps[threadIdx.x / kWarpSize] = mine;
    __syncthreads();  // every warp reads what all warps wrote
    return lanes_combine<kWarpSize>(lane_id < kNumWarps ? warps[lane_id] : nothing());
  }
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
  if (row >= num_rows) return;  // all threads of the row, and no other waits for them
  const int first_item = row * row_length;
  const int num_vectors = row_length / Items<Vector>::kWidth;

  Items<Vector> mine[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {  // all loads are under way before the first is used
    const int vector = k * kThreads + threadIdx.x;
    if (vector < num_vectors) {
      mine[k] = load<Vector>(d_in + first_item, vector);
    } else {
      for (float& item : mine[k].item) item = -INFINITY;  // of which the share is 0
    }
  }

  Normalizer own = nothing();
#pragma unroll
  for (const Items<Vector>& items : mine) {
    for (const float item : items.item) own.largest = fmaxf(own.largest, item);
  }
#pragma unroll
  for (Items<Vector>& items : mine) {
    for (float& item : items.item) {
      item = power(item, own.largest);
      own.sum += item;
    }
  }

  const Normalizer all = row_combine<kThreads>(own);
  const float scale = power(own.largest, all.largest) / all.sum;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int vector = k * kThreads + threadIdx.x;
    for (float& item : mine[k].item) item *= scale;
    if (vector < num_vectors) store(d_out + first_item, vector, mine[k]);
  }
}

// A block per row of any length, as in 07c, but by vectors.
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
  const int rows_per_block = kThreads > kWarpSize ? 1 : kThreadsPerBlock / kThreads;
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
  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  const Rows rows = {d_in, num_rows, row_length, d_out, stream};
  if (row_length % 4 == 0) {  // then every row is aligned to 16 bytes
    softmax_by<float4>(rows);
  } else {
    softmax_by<float>(rows);
  }
}

}  // namespace lab
