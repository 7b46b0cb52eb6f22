// SPDX-License-Identifier: MIT
// Tensor cores multiply while warps compute powers: they have the next scores and the last outputs
// to work on. Only for compute capability 9.0. You need lab 08, rung 07, and overlap.md.
// Source: Shah, Bikshandi, Zhang, Thakkar, Ramani, Dao, "FlashAttention-3", 2024.
#include <cfloat>
#include <cstdint>

#include "attention.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "lab/warpgroup_instructions.cuh"

namespace lab {
namespace {

constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kProductRows = 64;  // of a warpgroup
constexpr int kProductCols = 128;
constexpr int kProductDepth = 16;
constexpr int kBoxCols = 64;  // bfloat16 in a row of 128 bytes
constexpr int kBoxes = kHeadSize / kBoxCols;
constexpr float kScale = 0.12751743f;  // log2(e) / sqrt(kHeadSize): powers of 2, not of e

constexpr int kConsumers = 2;  // warpgroups
constexpr int kConsumerWarps = kConsumers * 4;
constexpr int kThreads = (kConsumers + 1) * 128;     // one more warpgroup is the producer
constexpr int kQueries = kConsumers * kProductRows;  // of a block
constexpr int kKeys = kProductCols;                  // of a step
constexpr int kStages = 2;

// A multiprocessor has 512 registers for each thread of a warpgroup.
constexpr int kProducerRegisters = 24;
constexpr int kConsumerRegisters = 240;

// With the swizzle, in boxes side by side.
struct Shared {
  __nv_bfloat16 queries[kBoxes][kQueries][kBoxCols];
  __nv_bfloat16 keys[kStages][kBoxes][kKeys][kBoxCols];
  __nv_bfloat16 values[kStages][kBoxes][kKeys][kBoxCols];
};

struct Barriers {
  std::uint64_t queries_full;
  std::uint64_t keys_full[kStages], keys_empty[kStages];
  std::uint64_t values_full[kStages], values_empty[kStages];
};

using Sums = float[64];  // of a thread, as lab/warpgroup_instructions.cuh lays them out
using Weights = std::uint32_t[kKeys / kProductDepth][4];

// Four neighbouring lanes together hold a row. All 32 lanes must call these.
__device__ float row_largest(float mine) {
  mine = fmaxf(mine, __shfl_xor_sync(kFullWarp, mine, 1));
  return fmaxf(mine, __shfl_xor_sync(kFullWarp, mine, 2));
}
__device__ float row_sum(float mine) {
  mine += __shfl_xor_sync(kFullWarp, mine, 1);
  return mine + __shfl_xor_sync(kFullWarp, mine, 2);
}

// 2^x to 2 units in the last place, and 0 below 2^-126, which no weight needs.
__device__ float power_of_two(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

__device__ std::uint32_t packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// The online softmax of the two rows of which a thread has sums.
struct Rows {
  float largest[2] = {-FLT_MAX, -FLT_MAX};
  float sums[2] = {};  // of this thread's keys
  float corrections[2];

  // Turns scores into powers relative to the new maximum.
  __device__ void add(Sums& scores) {
    // TODO 1. As in your 05, for sums of another layout: sum i is in row g or g + 8, as
    //         i / 2 % 2 says. The outputs must wait, so keep the corrections.
  }

  // Makes outputs relative to the new maximum.
  __device__ void correct(Sums& outputs) const {
    // TODO 2. Which of the two corrections is that of sum i?
  }
};

// One thread: copies the queries, then keys and values as soon as their stages are empty.
__device__ void produce(const CUtensorMap& map_q, const CUtensorMap& map_k,
                        const CUtensorMap& map_v, int first_query, int first_key, int num_steps,
                        Shared& shared, Barriers& barriers) {
  const auto copy = [](auto& boxes, const CUtensorMap& map, int row, std::uint64_t* full) {
    arrive_and_expect(full, sizeof boxes);
    for (int i = 0; i < kBoxes; ++i) copy_box(boxes[i], map, row, i * kBoxCols, full);
  };
  copy(shared.queries, map_q, first_query, &barriers.queries_full);
  // TODO 3. As in lab 08, rung 07. Keys and values have barriers of their own: which of them does a
  //         step need first, and which are used first?
}

// A warpgroup: starts the products of 64 queries, from `first_row` of the tile on, and keys.
__device__ __forceinline__ void start_scores(Sums& scores, int first_row, int step,
                                             const Shared& shared, Barriers& barriers) {
  const auto& keys = shared.keys[step % kStages];
  wait(&barriers.keys_full[step % kStages], step / kStages % 2);
  // TODO 4. Queries times keys, in steps of kProductDepth elements. A key is a row of its tile: is
  //         that B, or its transpose? Which product does not add?
  commit_products();
}

// Starts adding the products of weights and values.
__device__ __forceinline__ void start_outputs(Sums& outputs, const Weights& weights, int step,
                                              const Shared& shared, Barriers& barriers) {
  const auto& values = shared.values[step % kStages];
  wait(&barriers.values_full[step % kStages], step / kStages % 2);
  // TODO 5. Weights times values, in steps of kProductDepth keys. A value is a row of B.
  commit_products();
}

// Keys past the last one get a weight of 0.
__device__ __forceinline__ void mask(Sums& scores, int num_keys) {
  if (num_keys >= kKeys) return;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int key = 8 * (i / 4) + 2 * static_cast<int>(threadIdx.x % 4) + i % 2;
    if (key >= num_keys) scores[i] = -INFINITY;
  }
}

// Sums of 64 x 16 scores lie where A has its elements.
__device__ __forceinline__ void round(Weights& weights, const Sums& scores) {
  // TODO 6. The weights of 16 keys are 8 sums of a thread, and 4 words of A.
}

// A warpgroup: the outputs of its queries, still to be divided by the sums of their rows.
__device__ __forceinline__ void consume(Sums& outputs, Rows& rows, int first_row, int num_keys,
                                        const Shared& shared, Barriers& barriers) {
  const bool releases = threadIdx.x % 32 == 0;  // one lane of each warp
  const int num_steps = ceil_div(num_keys, kKeys);
  Sums scores;
  Weights weights;
  wait(&barriers.queries_full, 0);
  // TODO 7. First without overlap: scores, their weights, outputs, for one tile after the other,
  //         each with wait_for_products<0>(...). When may the producer fill a stage again?
  // TODO 8. Then start the scores of the next tile before the outputs of this one. What does
  //         wait_for_products<1>(scores) wait for, and what may you touch after it? Wait for the
  //         outputs where the next round of the loop begins: overlap.md says why.
}

__global__ void __launch_bounds__(kThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap map_q,  // (heads * num_queries, kHeadSize)
                 const __grid_constant__ CUtensorMap map_k,  // (heads * num_keys, kHeadSize)
                 const __grid_constant__ CUtensorMap map_v,  // the same
                 int num_queries, int num_keys, __nv_bfloat16* d_out) {
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(shared_bytes);
  __shared__ Barriers barriers;
  if (threadIdx.x == 0) {
    init_barrier(&barriers.queries_full, 1);
    for (int i = 0; i < kStages; ++i) {
      init_barrier(&barriers.keys_full[i], 1);
      init_barrier(&barriers.values_full[i], 1);
      init_barrier(&barriers.keys_empty[i], kConsumerWarps);
      init_barrier(&barriers.values_empty[i], kConsumerWarps);
    }
    publish_barriers();
  }
  __syncthreads();  // the barriers are there

  const int first_query = blockIdx.x * kQueries;
  const int first_row = blockIdx.y * num_queries + first_query;  // of the queries of all heads
  const int warp_id = threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  if (warp_id >= kConsumerWarps) {
    give_registers<kProducerRegisters>();
    if (threadIdx.x == kConsumerWarps * 32) {
      produce(map_q, map_k, map_v, first_row, blockIdx.y * num_keys, ceil_div(num_keys, kKeys),
              shared, barriers);
    }
    return;
  }

  take_registers<kConsumerRegisters>();
  Sums outputs = {};
  Rows rows;
  consume(outputs, rows, warp_id / 4 * kProductRows, num_keys, shared, barriers);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float scale = 1 / row_sum(rows.sums[half]);
    const int query = warp_id * 16 + half * 8 + lane_id / 4;  // of the tile
    if (first_query + query >= num_queries) continue;
    __nv_bfloat16* const d_row = d_out + (std::size_t{1} * first_row + query) * kHeadSize;
#pragma unroll
    for (int i = 2 * half; i < 64; i += 4) {
      *reinterpret_cast<std::uint32_t*>(d_row + 8 * (i / 4) + 2 * (lane_id % 4)) =
          packed(outputs[i] * scale, outputs[i + 1] * scale);
    }
  }
}

}  // namespace

void attention_bf16(const __nv_bfloat16* d_q, const __nv_bfloat16* d_k, const __nv_bfloat16* d_v,
                    int num_heads, int num_queries, int num_keys, __nv_bfloat16* d_out,
                    Scratch& /*scratch*/, cudaStream_t stream) {
  todo("07_wgmma: write the kernel, then delete this line");

  if (num_heads == 0 || num_queries == 0) return;  // a grid of 0 blocks is an error
  check(cudaFuncSetAttribute(wgmma_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const dim3 grid(ceil_div(num_queries, kQueries), num_heads);
  wgmma_kernel<<<grid, kThreads, sizeof(Shared), stream>>>(
      tensor_map(d_q, num_heads * num_queries, kHeadSize, kQueries),
      tensor_map(d_k, num_heads * num_keys, kHeadSize, kKeys),
      tensor_map(d_v, num_heads * num_keys, kHeadSize, kKeys), num_queries, num_keys, d_out);
  check_launch();
}

}  // namespace lab
