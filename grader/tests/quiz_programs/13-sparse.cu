// SPDX-License-Identifier: MIT
#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void read_matrix(const int* d_offsets, int rows, const int* d_columns,
                            const float* d_values, int nonzeros) {
  for (int i = threadIdx.x; i <= rows; i += blockDim.x) {
    const int offset = d_offsets[i];
    static_cast<void>(offset);
  }
  for (int k = threadIdx.x; k < nonzeros; k += blockDim.x) {
    const int column = d_columns[k];
    const float value = d_values[k];
    static_cast<void>(column);
    static_cast<void>(value);
  }
}

void bytes_of_csr(const Drawn& drawn) {
  const quiz::Array<int> offsets(drawn["rows"] + 1);
  const quiz::Array<int> columns(drawn["nonzeros"]);
  const quiz::Array<float> values(drawn["nonzeros"]);
  read_matrix<<<1, 256>>>(offsets.get(), drawn["rows"], columns.get(), values.get(),
                          drawn["nonzeros"]);
  quiz::counted("global_read_bytes");
}

__global__ void read_first(const float* d_values, int length) {
  const float value = d_values[threadIdx.x * length];
  static_cast<void>(value);
}

void sectors_of_rows(const Drawn& drawn) {
  const quiz::Array<float> values(32 * drawn["length"]);
  read_first<<<1, 32>>>(values.get(), drawn["length"]);
  quiz::counted("global_read_sectors");
}

// Counts the rounds in which a lane of the group has no nonzero.
__global__ void add_up(int length, int* d_idle) {
  for (int first = 0; first < length; first += blockDim.x) {
    if (first + static_cast<int>(threadIdx.x) >= length) atomicAdd(d_idle, 1);
  }
}

void idle_lanes(const Drawn& drawn) {
  const quiz::Array<int> idle(1);
  add_up<<<1, drawn["width"]>>>(drawn["length"], idle.get());
  quiz::answer(idle.read()[0]);
}

// Walks the whole path, and notes in which step each row ends.
__global__ void walk(const int* d_row_ends, int rows, int nonzeros, int* d_steps) {
  int row = 0;
  int nonzero = 0;
  for (int step = 0; step < rows + nonzeros; ++step) {
    if (nonzero == d_row_ends[row]) {
      d_steps[row++] = step;
    } else {
      ++nonzero;
    }
  }
}

void step_of_an_end(const Drawn& drawn) {
  const quiz::Array<int> row_ends({2, 2, 5, 6});
  const quiz::Array<int> steps(4);
  walk<<<1, 1>>>(row_ends.get(), 4, 6, steps.get());
  quiz::answer(steps.read()[drawn["row"]]);
}

__global__ void take_tile(int steps, int path, int* d_tiles) {
  if (static_cast<int>(blockIdx.x) * steps < path) atomicAdd(d_tiles, 1);
}

void tiles_of_a_path(const Drawn& drawn) {
  const quiz::Array<int> tiles(1);
  take_tile<<<1000, 1>>>(drawn["steps"], drawn["rows"] + drawn["nonzeros"], tiles.get());
  quiz::answer(tiles.read()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"bytes-of-csr", bytes_of_csr},
                    {"sectors-of-rows", sectors_of_rows},
                    {"idle-lanes", idle_lanes},
                    {"step-of-an-end", step_of_an_end},
                    {"tiles-of-a-path", tiles_of_a_path}});
}
