// SPDX-License-Identifier: MIT
// Floats on tensor cores: each is the sum of two bfloat16, and three of the four products of parts
// matter. One product of three times the depth adds them up: [low high high] by [high low high].
// New: the parts; the kernel is that of 04. Limit: three times its work.
// Source: G. Henry, P. Tang, A. Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype
// for Higher-Precision Computations", ARITH 2019.
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
constexpr int kMmaDepth = 16;
constexpr int kChunk = 8;  // bfloat16 in 16 bytes: one copy, and a row of ldmatrix
constexpr int kSplitThreads = 256;
constexpr int kBandRows = 8;  // blocks that run together share rows of A and columns of B

// A block's tile of C, divided into warps' tiles, and how deep its tiles of A and B are.
struct Tile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 256;
  static constexpr int kDepth = 64;
  static constexpr int kWarpRows = 64;
  static constexpr int kWarpCols = 64;
  static constexpr int kWarpsAcross = kCols / kWarpCols;
  static constexpr int kThreads = kRows / kWarpRows * kWarpsAcross * 32;
  static constexpr int kMmasDown = kWarpRows / kMmaRows;
  static constexpr int kMmasAcross = kWarpCols / kMmaCols;
};

struct Matrices {
  const __nv_bfloat16* d_a;  // (num_rows, depth)
  const __nv_bfloat16* d_b;  // (depth, num_cols)
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
  SharedTile<Tile::kDepth, Tile::kCols> b;
};

// This thread's share of the copies: the same places of every tile. The swizzle repeats after eight
// rows and after eight chunks, so all are at constant distances from the first.
class Copier {
 public:
  __device__ Copier(const Matrices& m, int first_row, int first_col)
      : rows_left_(m.num_rows - first_row - row_),
        cols_left_(m.num_cols - first_col - chunk_ * kChunk),
        depth_(m.depth),
        num_cols_(m.num_cols),
        d_a_(m.d_a + (first_row + row_) * m.depth + chunk_ * kChunk),
        d_b_(m.d_b + row_ * m.num_cols + first_col + chunk_ * kChunk) {}

  // Starts copying the next tiles along the depth; zeros past the edges.
  __device__ void start(Stage& stage) {
    uint4* const a = stage.a.at(row_, chunk_);
    uint4* const b = stage.b.at(row_, chunk_);
    const bool is_a_inside = first_k_ + chunk_ * kChunk < depth_;
#pragma unroll
    for (int row = 0; row < Tile::kRows; row += kRowsAtATime) {
      copy_or_clear_async(a + row * stage.a.kChunksPerRow, d_a_ + row * depth_,
                          is_a_inside && row < rows_left_);
    }
#pragma unroll
    for (int row = 0; row < Tile::kDepth; row += kRowsAtATime) {
      const bool is_b_inside = first_k_ + row_ + row < depth_;
#pragma unroll
      for (int chunk = 0; chunk < stage.b.kChunksPerRow; chunk += kChunksAtATime) {
        copy_or_clear_async(b + row * stage.b.kChunksPerRow + chunk,
                            d_b_ + row * num_cols_ + chunk * kChunk,
                            is_b_inside && chunk * kChunk < cols_left_);
      }
    }
    first_k_ += Tile::kDepth;
    d_a_ += Tile::kDepth;
    d_b_ += Tile::kDepth * num_cols_;
  }

 private:
  static constexpr int kChunksAtATime = Tile::kDepth / kChunk;
  static constexpr int kRowsAtATime = Tile::kThreads / kChunksAtATime;

  const int row_ = threadIdx.x / kChunksAtATime;
  const int chunk_ = threadIdx.x % kChunksAtATime;
  const int rows_left_, cols_left_;
  const int depth_, num_cols_;
  int first_k_ = 0;
  const __nv_bfloat16* d_a_;  // the next chunk to copy
  const __nv_bfloat16* d_b_;
};

// A warp's operands for one step of kMmaDepth.
struct Fragments {
  std::uint32_t a[Tile::kMmasDown][4];
  std::uint32_t b[Tile::kMmasAcross / 2][4];  // each for two products side by side

  // Lanes 0 to 15 name the first chunks of 16 rows, lanes 16 to 31 the second ones.
  __device__ void load(Stage& stage, int warp_row, int warp_col, int k) {
    const int row = threadIdx.x % 16;
    const int chunk = threadIdx.x % 32 / 16;
    const uint4* const a_first = stage.a.at(warp_row + row, k / kChunk + chunk);
#pragma unroll
    for (int i = 0; i < Tile::kMmasDown; ++i) {
      load_matrices(a[i], a_first + i * kMmaRows * stage.a.kChunksPerRow);
    }
#pragma unroll
    for (int j = 0; j < Tile::kMmasAcross / 2; ++j) {
      const uint4* const b_first = stage.b.at(row, warp_col / kChunk + 2 * j + chunk);
      load_transposed(b[j], b_first + k * stage.b.kChunksPerRow);
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
__global__ void __launch_bounds__(Tile::kThreads, 1) split_matmul_kernel(Matrices m) {
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
    copier.start(stages[step % kStages]);  // zeros after the last step: waiting counts batches
    __pipeline_commit();
  };
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) start_copies(step);
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();  // stage 0 is full: a thread waits for its own copies, the barrier for all

  float sums[Tile::kMmasDown][Tile::kMmasAcross][4] = {};
  Fragments fragments[2];  // one is multiplied while the other is loaded
  fragments[0].load(stages[0], warp_row, warp_col, 0);
  for (int step = 0; step < num_steps; ++step) {
#pragma unroll
    for (int k = 0; k < Tile::kDepth; k += kMmaDepth) {
      const int now = k / kMmaDepth % 2;
      if (k + kMmaDepth < Tile::kDepth) {
        fragments[1 - now].load(stages[step % kStages], warp_row, warp_col, k + kMmaDepth);
      } else {
        __pipeline_wait_prior(kStages - 2);  // all batches but the newest have arrived
        __syncthreads();  // the next stage is full, and all have read the last of this one
        fragments[1 - now].load(stages[(step + 1) % kStages], warp_row, warp_col, 0);
      }
      if (k == 0) start_copies(step + kStages - 1);  // where all have read, before the last barrier
#pragma unroll
      for (int i = 0; i < Tile::kMmasDown; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::kMmasAcross; ++j) {
          const std::uint32_t* const b = &fragments[now].b[j / 2][j % 2 * 2];
          multiply_bf16(sums[i][j], fragments[now].a[i], {b[0], b[1]});
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
      *reinterpret_cast<float2*>(d_pair) = make_float2(sum[0], sum[1]);
      *reinterpret_cast<float2*>(d_pair + 8 * m.num_cols) = make_float2(sum[2], sum[3]);
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
  check(cudaFuncSetAttribute(split_matmul_kernel<kStages>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  const int num_tiles = ceil_div(m.num_rows, Tile::kRows) * ceil_div(m.num_cols, Tile::kCols);
  split_matmul_kernel<kStages><<<num_tiles, Tile::kThreads, kSharedBytes, stream>>>(m);
  check_launch();
  return true;
}

enum class Part { kHigh, kLow };

// The bits of one part of x.
__device__ unsigned short part_of(float x, Part part) {
  const __nv_bfloat16 high = __float2bfloat16(x);
  const __nv_bfloat16 low =
      __float2bfloat16(x - __bfloat162float(high));  // the difference is exact
  return __bfloat16_as_ushort(part == Part::kHigh ? high : low);
}

// The parts of each row of d_x (num_rows, row_size) in a row of d_parts (num_rows, 3 * row_size):
// first, second and third, one after the other. row_size is a multiple of 4.
__global__ void split_kernel(const float* d_x, int num_rows, int row_size, Part first, Part second,
                             Part third, __nv_bfloat16* d_parts) {
  const int index = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (index >= num_rows * row_size) return;
  const float4 x = *reinterpret_cast<const float4*>(d_x + index);
  __nv_bfloat16* const d_row = d_parts + index / row_size * 3 * row_size + index % row_size;
  const Part parts[] = {first, second, third};
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    *reinterpret_cast<ushort4*>(d_row + i * row_size) =
        make_ushort4(part_of(x.x, parts[i]), part_of(x.y, parts[i]), part_of(x.z, parts[i]),
                     part_of(x.w, parts[i]));
  }
}

void split(const float* d_x, int num_rows, int row_size, Part first, Part second, Part third,
           __nv_bfloat16* d_parts, cudaStream_t stream) {
  if (num_rows == 0 || row_size == 0) return;
  const int num_blocks = ceil_div(num_rows * row_size, 4 * kSplitThreads);
  split_kernel<<<num_blocks, kSplitThreads, 0, stream>>>(d_x, num_rows, row_size, first, second,
                                                         third, d_parts);
  check_launch();
}

}  // namespace

void matmul_split(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                  float* d_c, Scratch& scratch, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;  // a grid of 0 blocks is an error
  __nv_bfloat16* const d_a_parts =
      scratch.allocate<__nv_bfloat16>(std::size_t{3} * num_rows * depth);
  __nv_bfloat16* const d_b_parts =
      scratch.allocate<__nv_bfloat16>(std::size_t{3} * depth * num_cols);
  // The small products first: each is added to a sum of its own size.
  split(d_a, num_rows, depth, Part::kLow, Part::kHigh, Part::kHigh, d_a_parts, stream);
  split(d_b, 1, depth * num_cols, Part::kHigh, Part::kLow, Part::kHigh, d_b_parts, stream);
  const Matrices m{d_a_parts, d_b_parts, d_c, num_rows, num_cols, 3 * depth};
  if (!launch<3>(m, stream)) launch<2>(m, stream);  // 144 KiB, or 96 KiB
}

}  // namespace lab
