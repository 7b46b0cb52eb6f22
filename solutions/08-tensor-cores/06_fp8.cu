// SPDX-License-Identifier: MIT
// Numbers of 8 bits: half the bytes of bfloat16, and one instruction multiplies twice the depth.
// e4m3 reaches only from 2^-9 to 448, so each row has a scale, which multiplies the sums at the
// end. New: quantisation and scales; B by columns, because ldmatrix transposes only 16 bits. Limit:
// on Hopper mma.sync converts e4m3 to half and multiplies those; only wgmma is faster there.
#include <cuda_pipeline.h>

#include <cstdint>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/matrix_instructions.cuh"
#include "tensor_cores.cuh"

namespace lab {
namespace {

constexpr int kMmaRows = 16;
constexpr int kMmaCols = 8;
constexpr int kMmaDepth = 32;
constexpr int kChunk = 16;         // e4m3 in 16 bytes: one copy, and a row of ldmatrix
constexpr int kQuantizeWarps = 8;  // a warp for each row
constexpr float kLargest = 448;    // e4m3
constexpr int kBandRows = 8;       // blocks that run together share rows of A and columns of B

// A block's tile of C, divided into warps' tiles, and how deep its tiles of A and B are.
struct Tile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 128;
  static constexpr int kDepth = 128;
  static constexpr int kWarpRows = 64;
  static constexpr int kWarpCols = 32;
  static constexpr int kWarpsAcross = kCols / kWarpCols;
  static constexpr int kThreads = kRows / kWarpRows * kWarpsAcross * 32;
  static constexpr int kMmasDown = kWarpRows / kMmaRows;
  static constexpr int kMmasAcross = kWarpCols / kMmaCols;
};

struct Matrices {
  const __nv_fp8_e4m3* d_a;  // (num_rows, depth)
  const float* d_a_scales;   // (num_rows)
  const __nv_fp8_e4m3* d_b;  // (num_cols, depth)
  const float* d_b_scales;   // (num_cols)
  float* d_c;                // (num_rows, num_cols)
  int num_rows, num_cols, depth;
};

// kRows x kCols numbers in chunks, swizzled as in 03.
template <int kRows, int kCols>
struct SharedTile {
  static constexpr int kChunksPerRow = kCols / kChunk;
  uint4 chunks[kRows * kChunksPerRow];

  __device__ uint4* at(int row, int chunk) {
    return &chunks[row * kChunksPerRow + (chunk ^ row % 8)];
  }
};

struct Stage {
  SharedTile<Tile::kRows, Tile::kDepth> a;
  SharedTile<Tile::kCols, Tile::kDepth> b;
};

// This thread's share of the copies: the same places of every tile.
class Copier {
 public:
  __device__ Copier(const Matrices& m, int first_row, int first_col)
      : rows_left_(m.num_rows - first_row - row_),
        cols_left_(m.num_cols - first_col - row_),
        depth_(m.depth),
        first_k_(chunk_ * kChunk),
        d_a_(m.d_a + (first_row + row_) * m.depth + first_k_),
        d_b_(m.d_b + (first_col + row_) * m.depth + first_k_) {}

  // Starts copying the next tiles along the depth; zeros past the edges.
  __device__ void start(Stage& stage) {
    const bool inside = first_k_ < depth_;
#pragma unroll
    for (int row = 0; row < Tile::kRows; row += kRowsAtATime) {
      copy(stage.a.at(row_ + row, chunk_), d_a_ + row * depth_, inside && row < rows_left_);
    }
#pragma unroll
    for (int row = 0; row < Tile::kCols; row += kRowsAtATime) {
      copy(stage.b.at(row_ + row, chunk_), d_b_ + row * depth_, inside && row < cols_left_);
    }
    first_k_ += Tile::kDepth;
    d_a_ += Tile::kDepth;
    d_b_ += Tile::kDepth;
  }

 private:
  static constexpr int kChunksPerRow = Tile::kDepth / kChunk;
  static constexpr int kRowsAtATime = Tile::kThreads / kChunksPerRow;

  __device__ static void copy(uint4* chunk, const __nv_fp8_e4m3* d_chunk, bool inside) {
    __pipeline_memcpy_async(chunk, d_chunk, sizeof *chunk, inside ? 0 : sizeof *chunk);
  }

  const int row_ = threadIdx.x / kChunksPerRow;
  const int chunk_ = threadIdx.x % kChunksPerRow;
  const int rows_left_, cols_left_, depth_;
  int first_k_;
  const __nv_fp8_e4m3* d_a_;  // the next chunk to copy
  const __nv_fp8_e4m3* d_b_;
};

// A warp's operands for one step of kMmaDepth.
struct Fragments {
  std::uint32_t a[Tile::kMmasDown][4];
  std::uint32_t b[Tile::kMmasAcross / 2][4];  // of 16 columns; words 0 and 2 are the first 8

  // Lanes 0 to 15 name the first chunks of 16 rows, lanes 16 to 31 the second ones.
  __device__ void load(Stage& stage, int warp_row, int warp_col, int k) {
    const int row = threadIdx.x % 16;
    const int chunk = threadIdx.x % 32 / 16;
#pragma unroll
    for (int i = 0; i < Tile::kMmasDown; ++i) {
      load_matrices(a[i], stage.a.at(warp_row + i * kMmaRows + row, k / kChunk + chunk));
    }
#pragma unroll
    for (int j = 0; j < Tile::kMmasAcross / 2; ++j) {
      load_matrices(b[j], stage.b.at(warp_col + j * 2 * kMmaCols + row, k / kChunk + chunk));
    }
  }
};

// Numbers the tiles down bands, column by column; the last band may have fewer rows.
__device__ int2 tile_of_block(int block, int tiles_down, int tiles_across) {
  const int band = block / (kBandRows * tiles_across);
  const int in_band = block % (kBandRows * tiles_across);
  const int rows = min(kBandRows, tiles_down - band * kBandRows);
  return make_int2(in_band / rows, band * kBandRows + in_band % rows);
}

template <int kStages>
__global__ void __launch_bounds__(Tile::kThreads, 1) fp8_kernel(Matrices m) {
  extern __shared__ uint4 shared_words[];
  Stage* const stages = reinterpret_cast<Stage*>(shared_words);  // kStages of them
  const int2 tile = tile_of_block(blockIdx.x, ceil_div(m.num_rows, Tile::kRows),
                                  ceil_div(m.num_cols, Tile::kCols));
  const int first_row = tile.y * Tile::kRows;
  const int first_col = tile.x * Tile::kCols;
  const int num_steps = ceil_div(m.depth, Tile::kDepth);
  const int warp_id = threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  const int warp_row = warp_id / Tile::kWarpsAcross * Tile::kWarpRows;  // in the block's tile
  const int warp_col = warp_id % Tile::kWarpsAcross * Tile::kWarpCols;

  Copier copier(m, first_row, first_col);
  const auto start_copies = [&](int step) {
    if (step < num_steps) copier.start(stages[step % kStages]);
    __pipeline_commit();  // one batch per step, even an empty one: waiting counts batches
  };
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) start_copies(step);
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();  // stage 0 is full: a thread waits for its own copies, the barrier for all

  float sums[Tile::kMmasDown][Tile::kMmasAcross][4] = {};
  Fragments fragments[2];  // one is multiplied while the other is loaded
  if (num_steps > 0) fragments[0].load(stages[0], warp_row, warp_col, 0);
  for (int step = 0; step < num_steps; ++step) {
#pragma unroll
    for (int k = 0; k < Tile::kDepth; k += kMmaDepth) {
      const int now = k / kMmaDepth % 2;
      if (k == 0) start_copies(step + kStages - 1);  // where all have read, before the last barrier
      if (k + kMmaDepth < Tile::kDepth) {
        fragments[1 - now].load(stages[step % kStages], warp_row, warp_col, k + kMmaDepth);
      } else {
        __pipeline_wait_prior(kStages - 2);  // all batches but the newest have arrived
        __syncthreads();  // the next stage is full, and all have read the last of this one
        if (step + 1 < num_steps) {
          fragments[1 - now].load(stages[(step + 1) % kStages], warp_row, warp_col, 0);
        }
      }
#pragma unroll
      for (int i = 0; i < Tile::kMmasDown; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::kMmasAcross; ++j) {
          const std::uint32_t* const b = &fragments[now].b[j / 2][j % 2];
          multiply_e4m3(sums[i][j], fragments[now].a[i], {b[0], b[2]});
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < Tile::kMmasDown; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kMmasAcross; ++j) {
      const int row = first_row + warp_row + i * kMmaRows + lane_id / 4;
      const int col = first_col + warp_col + j * kMmaCols + 2 * (lane_id % 4);
      if (row >= m.num_rows || col >= m.num_cols) continue;
      float* const d_pair = m.d_c + row * m.num_cols + col;
      const float(&sum)[4] = sums[i][j];
      const float2 scale = *reinterpret_cast<const float2*>(m.d_b_scales + col);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float row_scale = m.d_a_scales[row + 8 * half];
        *reinterpret_cast<float2*>(d_pair + 8 * half * m.num_cols) = make_float2(
            sum[2 * half] * row_scale * scale.x, sum[2 * half + 1] * row_scale * scale.y);
      }
    }
  }
}

// Starts the kernel with kStages stages, if a block can have so much shared memory.
template <int kStages>
bool launch(const Matrices& m, cudaStream_t stream) {
  constexpr int kSharedBytes = kStages * sizeof(Stage);
  int device = 0;
  int most_bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (kSharedBytes > most_bytes) return false;
  check(cudaFuncSetAttribute(fp8_kernel<kStages>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kSharedBytes));
  const int num_tiles = ceil_div(m.num_rows, Tile::kRows) * ceil_div(m.num_cols, Tile::kCols);
  fp8_kernel<kStages><<<num_tiles, Tile::kThreads, kSharedBytes, stream>>>(m);
  check_launch();
  return true;
}

__global__ void quantize_kernel(const float* d_x, int num_rows, int depth, __nv_fp8_e4m3* d_q,
                                float* d_scales) {
  const int row = blockIdx.x * kQuantizeWarps + threadIdx.x / 32;
  const int lane_id = threadIdx.x % 32;
  if (row >= num_rows) return;  // the whole warp
  const float4* const d_row = reinterpret_cast<const float4*>(d_x + row * depth);
  float most = 0;
  for (int i = lane_id; i < depth / 4; i += 32) {
    const float4 x = d_row[i];
    most = fmaxf(most, fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w))));
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFF, most, distance));
  }
  const float scale = most > 0 ? most / kLargest : 1;
  if (lane_id == 0) d_scales[row] = scale;
  auto* const d_words = reinterpret_cast<__nv_fp8x4_e4m3*>(d_q + row * depth);
  for (int i = lane_id; i < depth / 4; i += 32) {
    const float4 x = d_row[i];
    d_words[i] = __nv_fp8x4_e4m3(make_float4(x.x / scale, x.y / scale, x.z / scale, x.w / scale));
  }
}

}  // namespace

void quantize_e4m3(const float* d_x, int num_rows, int depth, __nv_fp8_e4m3* d_q, float* d_scales,
                   Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0) return;  // a grid of 0 blocks is an error
  const int num_blocks = ceil_div(num_rows, kQuantizeWarps);
  quantize_kernel<<<num_blocks, kQuantizeWarps * 32, 0, stream>>>(d_x, num_rows, depth, d_q,
                                                                  d_scales);
  check_launch();
}

void matmul_e4m3(const __nv_fp8_e4m3* d_a, const float* d_a_scales, const __nv_fp8_e4m3* d_b,
                 const float* d_b_scales, int num_rows, int num_cols, int depth, float* d_c,
                 Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  const Matrices m{d_a, d_a_scales, d_b, d_b_scales, d_c, num_rows, num_cols, depth};
  if (!launch<3>(m, stream)) launch<2>(m, stream);  // 144 KiB, or 96 KiB
}

}  // namespace lab
