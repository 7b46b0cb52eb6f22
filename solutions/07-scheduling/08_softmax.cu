// SPDX-License-Identifier: MIT
// Softmax of each row: one read and one write per item as long as a row fits the registers of its
// threads, a warp's or a block's; longer rows are read twice, the first time by an online softmax.
// Limit: the copy bandwidth of the memory. Source: M. Milakov and N. Gimelshein, "Online normalizer
// calculation for softmax", 2018.
#include <cfloat>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "scheduling.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kRowsPerBlock = 4;  // where a row is a warp's: blocks of dim3(32, 4)
constexpr int kLongRowThreads = 1024;
constexpr float kLog2E = 1.44269504f;  // exp(x) = exp2(x * kLog2E), and the hardware has exp2

// Of some items of a row: the largest, and the sum of all exp(item - largest).
struct Normalizer {
  float largest;
  float sum;
};

// Of no items. Not from -infinity: -infinity - -infinity would be NaN, and exp is 0 either way.
__device__ Normalizer nothing() { return {-FLT_MAX, 0.0f}; }

__device__ float power(float item, float largest) { return exp2f((item - largest) * kLog2E); }

// Combines what the lanes of a warp have; all of them receive it. All 32 lanes must call.
__device__ Normalizer warp_combine(Normalizer mine) {
  float largest = mine.largest;
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(kFullWarp, largest, mask));
  }
  float sum = mine.sum * power(mine.largest, largest);  // as if it had known `largest` before
  for (int mask = kWarpSize / 2; mask >= 1; mask /= 2) {
    sum += __shfl_xor_sync(kFullWarp, sum, mask);
  }
  return {largest, sum};
}

// The same for the kThreads threads of a row; once a kernel, as nothing guards `warps` from reuse.
template <int kThreads>
__device__ Normalizer row_combine(Normalizer mine) {
  mine = warp_combine(mine);
  if constexpr (kThreads > kWarpSize) {
    constexpr int kNumWarps = kThreads / kWarpSize;
    __shared__ Normalizer warps[kNumWarps];
    const int lane_id = threadIdx.x % kWarpSize;
    if (lane_id == 0) warps[threadIdx.x / kWarpSize] = mine;
    __syncthreads();  // every warp reads what all warps wrote
    mine = warp_combine(lane_id < kNumWarps ? warps[lane_id] : nothing());
  }
  return mine;
}

// Neighbouring items, which travel as one Vector: float4 where rows are aligned, else float.
template <class Vector>
struct alignas(Vector) Items {
  static constexpr int kWidth = sizeof(Vector) / sizeof(float);
  float item[kWidth];
};

enum class Cache { kKeep, kStream };  // kStream: not worth keeping, it is not read again

template <class Vector, Cache kCache>
__device__ Items<Vector> load(const float* d_row, int vector) {
  const Vector* d_vector = reinterpret_cast<const Vector*>(d_row) + vector;
  Items<Vector> items;
  reinterpret_cast<Vector&>(items) = kCache == Cache::kStream ? __ldcs(d_vector) : *d_vector;
  return items;
}

template <class Vector>
__device__ void store(float* d_row, int vector, Items<Vector> items) {
  __stcs(reinterpret_cast<Vector*>(d_row) + vector, reinterpret_cast<Vector&>(items));
}

// A row in the registers of kThreads threads, kVectors each; blockDim.y rows a block.
template <class Vector, int kThreads, int kVectors>
__global__ void __launch_bounds__(kThreads > kWarpSize ? kThreads : kWarpSize * kRowsPerBlock)
    register_kernel(const float* d_in, int num_rows, int row_length, float* d_out) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= num_rows) return;  // whole warps, which meet no barrier: kThreads is 32 then
  const float* d_row = d_in + row * row_length;  // (row_length)
  const int num_vectors = row_length / Items<Vector>::kWidth;

  Items<Vector> mine[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {  // all loads are under way before the first is used
    const int vector = k * kThreads + threadIdx.x;
    if (vector < num_vectors) {
      mine[k] = load<Vector, Cache::kStream>(d_row, vector);
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
    if (vector < num_vectors) store(d_out + row * row_length, vector, mine[k]);
  }
}

// A block per row of any length. The threads' normalizers run ahead of what they know: whenever an
// item is larger than all before, the sum is rescaled.
template <class Vector>
__global__ void __launch_bounds__(kLongRowThreads)
    online_kernel(const float* d_in, int row_length, float* d_out) {
  const float* d_row = d_in + blockIdx.x * row_length;  // (row_length)
  const int num_vectors = row_length / Items<Vector>::kWidth;

  Normalizer own = nothing();
  int vector = threadIdx.x;
#pragma unroll 4
  for (; vector < num_vectors; vector += kLongRowThreads) {
    const Items<Vector> items = load<Vector, Cache::kKeep>(d_row, vector);
    float largest = own.largest;
    for (const float item : items.item) largest = fmaxf(largest, item);
    own.sum *= power(own.largest, largest);
    for (const float item : items.item) own.sum += power(item, largest);
    own.largest = largest;
  }

  const Normalizer all = row_combine<kLongRowThreads>(own);
  const float scale = 1.0f / all.sum;
#pragma unroll 4
  for (vector -= kLongRowThreads; vector >= 0; vector -= kLongRowThreads) {
    // Backwards: what was read last is the most likely to be in the L2 cache still.
    Items<Vector> items = load<Vector, Cache::kStream>(d_row, vector);
    for (float& item : items.item) item = power(item, all.largest) * scale;
    store(d_out + blockIdx.x * row_length, vector, items);
  }
}

struct Rows {
  const float* d_in;
  int num_rows;
  int row_length;
  float* d_out;
  cudaStream_t stream;
};

// Launches register_kernel, if a row fits kThreads * kVectors vectors; returns whether it does.
template <class Vector, int kThreads, int kVectors>
bool fits_registers(const Rows& rows) {
  if (rows.row_length > kThreads * kVectors * Items<Vector>::kWidth) return false;
  const dim3 block(kThreads, kThreads == kWarpSize ? kRowsPerBlock : 1);
  const int num_blocks = plan_rows(rows.num_rows, rows.row_length, block).num_blocks;
  register_kernel<Vector, kThreads, kVectors><<<num_blocks, block, 0, rows.stream>>>(
      rows.d_in, rows.num_rows, rows.row_length, rows.d_out);
  check_launch();
  return true;
}

template <class Vector>
void softmax_of(const Rows& rows) {
  // As few registers as will do: the more threads fit, the more loads are under way.
  if (fits_registers<Vector, 32, 1>(rows) || fits_registers<Vector, 32, 2>(rows) ||
      fits_registers<Vector, 32, 4>(rows) || fits_registers<Vector, 32, 8>(rows) ||
      fits_registers<Vector, 256, 4>(rows) || fits_registers<Vector, 256, 8>(rows) ||
      fits_registers<Vector, 512, 8>(rows) || fits_registers<Vector, 1024, 8>(rows)) {
    return;
  }
  online_kernel<Vector>
      <<<rows.num_rows, kLongRowThreads, 0, rows.stream>>>(rows.d_in, rows.row_length, rows.d_out);
  check_launch();
}

}  // namespace

RowPlan plan_rows(int num_rows, int row_length, dim3 block) {
  const int threads_per_row = block.x;
  const int rows_per_block = block.y;
  RowPlan plan;
  plan.num_blocks = ceil_div(num_rows, rows_per_block);
  plan.warps_per_block = ceil_div(threads_per_row * rows_per_block, kWarpSize);
  plan.items_per_thread = ceil_div(row_length, threads_per_row);
  plan.may_use_float4 = row_length % 4 == 0;
  plan.needs_barrier = false;
  for (int row = 0; row < rows_per_block; ++row) {
    const int first = row * threads_per_row;
    const int last = first + threads_per_row - 1;
    if (first / kWarpSize != last / kWarpSize) plan.needs_barrier = true;
  }
  return plan;
}

void softmax(const float* d_in, int num_rows, int row_length, float* d_out, cudaStream_t stream) {
  if (num_rows == 0 || row_length == 0) return;  // a grid of 0 blocks is an error
  const Rows rows = {d_in, num_rows, row_length, d_out, stream};
  if (row_length % 4 == 0) {
    softmax_of<float4>(rows);
  } else {
    softmax_of<float>(rows);
  }
}

}  // namespace lab
