// SPDX-License-Identifier: MIT
#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void use_shared() {
  extern __shared__ int room[];
  room[threadIdx.x] = 1;
}

__global__ void use_nothing() {}

// The emulator's device has the limits of 9.0; its warps and blocks are those of 8.0.
void resident_by_threads(const Drawn& drawn) {
  use_nothing<<<1, drawn["threads"]>>>();
  quiz::counted("occupancy_blocks");
}

void resident_by_shared(const Drawn& drawn) {
  const int bytes = drawn["kib"] * 1024;
  cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  use_shared<<<1, 32, bytes>>>();
  quiz::counted("occupancy_blocks");
}

__global__ void write_every(int* d_out, int step) {
  const int t = threadIdx.x;
  if (t % step == 0) {
    d_out[t] = t;
  }
}

void divergent_branch(const Drawn& drawn) {
  const quiz::Array<int> out(1024);
  write_every<<<1, drawn["threads"]>>>(out.get(), drawn["step"]);
  quiz::counted("divergent_branches");
}

__global__ void write_row(int* d_out, int row) {
  if (static_cast<int>(threadIdx.y) == row) {
    d_out[threadIdx.x] = row;
  }
}

void divergent_rows(const Drawn& drawn) {
  const quiz::Array<int> out(64);
  write_row<<<1, dim3(drawn["wide"], 16)>>>(out.get(), drawn["row"]);
  quiz::counted("divergent_branches");
}

__global__ void read_floats(const float* d_in, float* d_out, int first, int distance) {
  d_out[threadIdx.x] = d_in[first + distance * threadIdx.x];
}

void sectors_of_structures(const Drawn& drawn) {
  const quiz::Array<float> in(32 * drawn["floats"]);
  const quiz::Array<float> out(32);
  read_floats<<<1, 32>>>(in.get(), out.get(), 0, drawn["floats"]);
  quiz::counted("global_read_sectors");
}

void misaligned(const Drawn& drawn) {
  const quiz::Array<float> in(64);
  const quiz::Array<float> out(32);
  read_floats<<<1, 32>>>(in.get(), out.get(), drawn["first"], 1);
  quiz::counted("global_read_sectors");
}

__global__ void read_structures(float* d_out, int words) {
  __shared__ float structures[256];
  d_out[threadIdx.x] = structures[words * threadIdx.x];
}

void banks_of_structures(const Drawn& drawn) {
  const quiz::Array<float> out(32);
  read_structures<<<1, 32>>>(out.get(), drawn["words"]);
  quiz::counted("shared_read_wavefronts");
}

__global__ void read_row(const int* d_row, int* d_out, int num_items) {
  for (int i = threadIdx.x; i < num_items; i += 32) {
    d_out[i] = d_row[i];
  }
}

void rows_of_33(const Drawn& drawn) {
  const int items = drawn["items"];
  const quiz::Array<int> row(items);
  const quiz::Array<int> out(items);
  read_row<<<1, 32>>>(row.get(), out.get(), items);
  quiz::counted("32 * global_read_requests - global_read_lanes");
}

// Zeros: the reads are needed, and only the last pass writes.
__global__ void pass_over_row(const float* d_row, float* d_out, int num_items, bool is_last) {
  for (int i = threadIdx.x; i < num_items; i += blockDim.x) {
    const float item = d_row[i];
    if (is_last || item < 0) {
      d_out[i] = item;
    }
  }
}

void softmax_bytes(const Drawn& drawn) {
  const int items = drawn["items"];
  const quiz::Array<float> row(items);
  const quiz::Array<float> out(items);
  for (int pass = 1; pass <= drawn["passes"]; ++pass) {
    pass_over_row<<<1, 256>>>(row.get(), out.get(), items, pass == drawn["passes"]);
  }
  quiz::counted("32 * (global_read_sectors + global_write_sectors) / " + std::to_string(items));
}

__global__ void add_powers(const int* d_items, int num_items, double* d_sum) {
  double largest = d_items[0];
  double sum = 1;
  for (int i = 1; i < num_items; ++i) {
    const double larger = fmax(largest, static_cast<double>(d_items[i]));
    sum = sum * exp2(largest - larger) + exp2(d_items[i] - larger);
    largest = larger;
  }
  *d_sum = sum;
}

void softmax_rescaled(const Drawn& drawn) {
  const quiz::Array<int> items({drawn["first"], drawn["second"], drawn["third"]});
  const quiz::Array<double> sum(1);
  add_powers<<<1, 1>>>(items.get(), 3, sum.get());
  quiz::answer(sum.read()[0]);
}

// A row's first lane counts the row.
__global__ void count_rows(int lanes, int* d_rows) {
  if (threadIdx.x % lanes == 0) {
    atomicAdd(d_rows, 1);
  }
}

void rows_per_warp(const Drawn& drawn) {
  int lanes = 1;
  while (lanes * 8 < drawn["items"]) {
    lanes *= 2;
  }
  const quiz::Array<int> rows(1);
  count_rows<<<1, 32>>>(lanes, rows.get());
  quiz::answer(rows.read()[0]);
}

// A block reads what its threads hold; one that finds an item counts itself.
__global__ void hold_in_registers(const float* d_row, int num_items, int* d_blocks) {
  const int first = blockIdx.x * blockDim.x * 32;
  bool has_item = false;
  for (int k = 0; k < 32; ++k) {
    const int i = first + k * blockDim.x + threadIdx.x;
    has_item = has_item || (i < num_items && d_row[i] == 0);
  }
  if (__syncthreads_or(has_item) && threadIdx.x == 0) {
    atomicAdd(d_blocks, 1);
  }
}

void row_in_registers(const Drawn& drawn) {
  const int items = drawn["items"];
  const quiz::Array<float> row(items);
  const quiz::Array<int> blocks(1);
  hold_in_registers<<<16, drawn["threads"]>>>(row.get(), items, blocks.get());
  quiz::answer(blocks.read()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"resident-by-threads", resident_by_threads},
                    {"resident-by-shared", resident_by_shared},
                    {"divergent-branch", divergent_branch},
                    {"divergent-rows", divergent_rows},
                    {"sectors-of-structures", sectors_of_structures},
                    {"misaligned", misaligned},
                    {"banks-of-structures", banks_of_structures},
                    {"rows-of-33", rows_of_33},
                    {"softmax-bytes", softmax_bytes},
                    {"softmax-rescaled", softmax_rescaled},
                    {"rows-per-warp", rows_per_warp},
                    {"row-in-registers", row_in_registers}});
}
