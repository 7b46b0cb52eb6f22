// SPDX-License-Identifier: MIT
#include "quiz.cuh"

namespace {

using quiz::Drawn;

struct Key {
  double score, value;
};

struct Part {
  double largest, sum, output;
};

// The online softmax, key by key.
__device__ Part attend(const Key* keys, int count) {
  Part part = {-1e30, 0, 0};
  for (int i = 0; i < count; ++i) {
    const double largest = fmax(part.largest, keys[i].score);
    const double correction = exp(part.largest - largest);
    const double power = exp(keys[i].score - largest);
    part = {largest, part.sum * correction + power,
            part.output * correction + power * keys[i].value};
  }
  return part;
}

__global__ void sum_powers(int a, int b, double* d_sum) {
  const Key keys[] = {{0, 0}, {log(1.0 * a), 0}, {log(1.0 * b), 0}};
  *d_sum = attend(keys, 3).sum;
}

void sum_of_three(const Drawn& drawn) {
  const quiz::Array<double> sum(1);
  sum_powers<<<1, 1>>>(drawn["a"], drawn["b"], sum.get());
  quiz::answer(sum.read()[0]);
}

__global__ void add_values(int a, int b, int c, double* d_output) {
  const Key keys[] = {{0, 1.0 * a}, {log(3.0), 1.0 * b}, {log(4.0), 1.0 * c}};
  const Part part = attend(keys, 3);
  *d_output = part.output / part.sum;
}

void output_of_three(const Drawn& drawn) {
  const quiz::Array<double> output(1);
  add_values<<<1, 1>>>(drawn["a"], drawn["b"], drawn["c"], output.get());
  quiz::answer(output.read()[0]);
}

__global__ void correct(int a, int b, double* d_correction) {
  *d_correction = exp(log(1.0 * a) - log(1.0 * b));
}

void correction(const Drawn& drawn) {
  const quiz::Array<double> correction(1);
  correct<<<1, 1>>>(drawn["a"], drawn["b"], correction.get());
  quiz::answer(correction.read()[0]);
}

__global__ void write_scores(float* d_scores, int length) {
  for (int key = threadIdx.x; key < length; key += blockDim.x) {
    d_scores[(blockIdx.y * length + blockIdx.x) * length + key] = 0;
  }
}

void memory_of_scores(const Drawn& drawn) {
  const int length = drawn["length"];
  const int heads = drawn["heads"];
  const quiz::Array<float> scores(heads * length * length);
  write_scores<<<dim3(length, heads), 128>>>(scores.get(), length);
  quiz::counted("global_write_bytes / 1024");
}

// A block per row of tiles.
__global__ void visit_tiles(int* d_tiles, int length) {
  const int first_query = blockIdx.x * 64;
  for (int first_key = 0; first_key < length; first_key += 64) {
    if (first_key <= min(first_query + 63, length - 1)) atomicAdd(d_tiles, 1);
  }
}

void tiles_below(const Drawn& drawn) {
  const quiz::Array<int> tiles(1);
  visit_tiles<<<(drawn["length"] + 63) / 64, 1>>>(tiles.get(), drawn["length"]);
  quiz::answer(tiles.read()[0]);
}

__global__ void read_rows(int vectors, float4* d_out) {
  __shared__ float4 tile[8 * 36];
  tile[threadIdx.x * vectors] = make_float4(1, 2, 3, 4);
  __syncwarp(0xff);
  d_out[threadIdx.x] = tile[threadIdx.x * vectors];
}

void wavefronts_of_keys(const Drawn& drawn) {
  const quiz::Array<float4> out(8);
  read_rows<<<1, 8>>>(drawn["vectors"], out.get());
  quiz::counted("shared_read_wavefronts");
}

__global__ void join_parts(int a, int b, double* d_output) {
  const Part parts[] = {{0, 1, 1.0 * a}, {log(4.0), 1, 1.0 * b}};
  const double largest = fmax(parts[0].largest, parts[1].largest);
  double sum = 0;
  double output = 0;
  for (const Part& part : parts) {
    sum += part.sum * exp(part.largest - largest);
    output += part.output * exp(part.largest - largest);
  }
  *d_output = output / sum;
}

void joined_parts(const Drawn& drawn) {
  const quiz::Array<double> output(1);
  join_parts<<<1, 1>>>(drawn["a"], drawn["b"], output.get());
  quiz::answer(output.read()[0]);
}

// Which word of A has the row and the column of a sum of lane 0.
__global__ void find_word(int first, int tile, int* d_word) {
  const int row = 8 * (first / 2);
  const int col = 8 * tile + first % 2;
  for (int word = 0; word < 4; ++word) {
    if (row == 8 * (word % 2) && col == 8 * (word / 2)) *d_word = word;
  }
}

void word_of_a_pair(const Drawn& drawn) {
  const quiz::Array<int> word(1);
  find_word<<<1, 1>>>(drawn["first"], drawn["tile"], word.get());
  quiz::answer(word.read()[0]);
}

// One register of one lane for each sum.
__global__ void count_registers(int queries, int keys, int* d_registers) {
  for (int i = threadIdx.x; i < queries * (keys + 128); i += 32) ++d_registers[threadIdx.x];
}

void registers_of_a_warp(const Drawn& drawn) {
  const quiz::Array<int> registers(32);
  count_registers<<<1, 32>>>(drawn["queries"], drawn["keys"], registers.get());
  quiz::answer(registers.read()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"sum-of-three", sum_of_three},
                    {"output-of-three", output_of_three},
                    {"correction", correction},
                    {"memory-of-scores", memory_of_scores},
                    {"tiles-below", tiles_below},
                    {"wavefronts-of-keys", wavefronts_of_keys},
                    {"joined-parts", joined_parts},
                    {"word-of-a-pair", word_of_a_pair},
                    {"registers-of-a-warp", registers_of_a_warp}});
}
