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
                    {"rows-of-33", rows_of_33}});
}
