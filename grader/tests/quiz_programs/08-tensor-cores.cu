// SPDX-License-Identifier: MIT
#include <cuda_bf16.h>

#include <cstdint>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

constexpr std::uint32_t kOne = 0x3F80;  // 1 in bfloat16, in the lower half of a word
constexpr std::uint32_t kOnes = kOne << 16 | kOne;

__device__ void multiply(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void load_matrices(std::uint32_t (&words)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

// D = A B, where A has a 1 in the lower half of one word of one lane, and all rows of B are their
// own numbers, or 1. Only the row of that word differs from 0.
__global__ void multiply_one_word(int lane, int word, bool is_numbered, float* d_sums) {
  const int g = threadIdx.x / 4;
  const int t = threadIdx.x % 4;
  std::uint32_t a[4] = {};
  for (int i = 0; i < 4; ++i) {
    if (static_cast<int>(threadIdx.x) == lane && i == word) a[i] = kOne;
  }
  std::uint32_t b[2] = {kOnes, kOnes};
  if (is_numbered) {
    for (int i = 0; i < 2; ++i) {
      const int k = 8 * i + 2 * t;
      b[i] = __bfloat16_as_ushort(__int2bfloat16_rn(k)) |
             static_cast<std::uint32_t>(__bfloat16_as_ushort(__int2bfloat16_rn(k + 1))) << 16;
    }
  }
  float sums[4] = {};
  multiply(sums, a, b);
  for (int i = 0; i < 4; ++i) d_sums[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = sums[i];
}

void row_of_a_word(const Drawn& drawn) {
  const quiz::Array<float> sums(16 * 8);
  multiply_one_word<<<1, 32>>>(drawn["lane"], drawn["word"], false, sums.get());
  const std::vector<float> values = sums.read();
  int row = -1;
  for (int i = 0; i < 16; ++i) {
    if (values[i * 8] != 0) row = i;
  }
  quiz::answer(row);
}

void column_of_a_word(const Drawn& drawn) {
  const quiz::Array<float> sums(16 * 8);
  multiply_one_word<<<1, 32>>>(drawn["lane"], drawn["word"], true, sums.get());
  float column = 0;
  for (const float value : sums.read()) column = value > column ? value : column;
  quiz::answer(static_cast<int>(column));
}

// The first column of A numbers the rows, and the first row of B is 1.
__global__ void multiply_rows(int lane, int sum, float* d_sum) {
  const int g = threadIdx.x / 4;
  const int t = threadIdx.x % 4;
  std::uint32_t a[4] = {};
  std::uint32_t b[2] = {};
  if (t == 0) {
    a[0] = __bfloat16_as_ushort(__int2bfloat16_rn(g));
    a[1] = __bfloat16_as_ushort(__int2bfloat16_rn(g + 8));
    b[0] = kOne;
  }
  float sums[4] = {};
  multiply(sums, a, b);
  for (int i = 0; i < 4; ++i) {
    if (static_cast<int>(threadIdx.x) == lane && i == sum) *d_sum = sums[i];
  }
}

void row_of_a_sum(const Drawn& drawn) {
  const quiz::Array<float> sum(1);
  multiply_rows<<<1, 32>>>(drawn["lane"], drawn["sum"], sum.get());
  quiz::answer(static_cast<int>(sum.read()[0]));
}

// One step of a warp, with every fragment loaded once: rows of 16 numbers, by four matrices.
__global__ void multiply_step(int rows, int cols, float* d_sum) {
  __shared__ alignas(128) uint4 tile[2 * 64];
  for (int i = threadIdx.x; i < 2 * 64; i += 32) tile[i] = make_uint4(0, 0, 0, 0);
  __syncwarp();
  std::uint32_t a[4][4] = {};
  std::uint32_t b[4][4] = {};
  for (int i = 0; i < 4; ++i) {
    if (i < rows / 16) load_matrices(a[i], &tile[2 * 16 * i + threadIdx.x]);
    if (i < cols / 16) load_matrices(b[i], &tile[2 * 16 * i + threadIdx.x]);
  }
  float sums[4] = {};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 8; ++j) {
      const std::uint32_t of_b[2] = {b[j / 2][j % 2], b[j / 2][2 + j % 2]};
      if (i < rows / 16 && j < cols / 8) multiply(sums, a[i], of_b);
    }
  }
  d_sum[threadIdx.x] = sums[0];
}

void run_step(const Drawn& drawn, const char* formula) {
  const quiz::Array<float> sum(32);
  multiply_step<<<1, 32>>>(drawn["rows"], drawn["cols"], sum.get());
  quiz::counted(formula);
}
void products_of_a_step(const Drawn& drawn) { run_step(drawn, "matrix_instructions"); }
void bytes_per_product(const Drawn& drawn) {
  run_step(drawn, "shared_read_bytes / matrix_instructions");
}

__global__ void read_rows(int row_bytes, int rows_per_place, std::uint32_t* d_words) {
  extern __shared__ uint4 tile[];
  const int place = rows_per_place == 0 ? 0 : static_cast<int>(threadIdx.x) / rows_per_place % 8;
  const int chunk = static_cast<int>(threadIdx.x) * row_bytes / 16 + place;
  tile[chunk] = make_uint4(1, 2, 3, 4);
  __syncwarp();
  std::uint32_t words[4];
  load_matrices(words, &tile[chunk]);
  for (int i = 0; i < 4; ++i) d_words[4 * threadIdx.x + i] = words[i];
}

void read_at(int row_bytes, int rows_per_place) {
  const quiz::Array<std::uint32_t> words(128);
  read_rows<<<1, 32, 32 * row_bytes + 128>>>(row_bytes, rows_per_place, words.get());
  quiz::counted("shared_read_wavefronts");
}
void wavefronts_of_rows(const Drawn& drawn) { read_at(drawn["bytes"], 0); }
void wavefronts_of_a_swizzle(const Drawn& drawn) { read_at(128, drawn["rows"]); }

__global__ void split(float x, int* d_parts) {
  const float high = __bfloat162float(__float2bfloat16(x));
  const float low = __bfloat162float(__float2bfloat16(x - high));
  d_parts[0] = static_cast<int>(high * 128);
  d_parts[1] = static_cast<int>(low * 4096);
}

void parts_of_a_number(const Drawn& drawn) {
  const quiz::Array<int> parts(2);
  const float x = 1 + drawn["steps"] / 128.0F + drawn["rest"] / 4096.0F;
  split<<<1, 1>>>(x, parts.get());
  quiz::answer(parts.read());
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"row-of-a-word", row_of_a_word},
                    {"column-of-a-word", column_of_a_word},
                    {"row-of-a-sum", row_of_a_sum},
                    {"products-of-a-step", products_of_a_step},
                    {"bytes-per-product", bytes_per_product},
                    {"wavefronts-of-rows", wavefronts_of_rows},
                    {"wavefronts-of-a-swizzle", wavefronts_of_a_swizzle},
                    {"parts-of-a-number", parts_of_a_number}});
}
