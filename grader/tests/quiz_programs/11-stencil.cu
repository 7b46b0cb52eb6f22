// SPDX-License-Identifier: MIT
#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void filter(const int* d_line, int points, int* d_out) {
  const int x = threadIdx.x;
  const int before = x > 0 ? d_line[x - 1] : 0;
  const int after = x + 1 < points ? d_line[x + 1] : 0;
  d_out[x] = before + 2 * d_line[x] + after;
}

void point_of_a_line(const Drawn& drawn) {
  const quiz::Array<int> line({3, 1, 4, 1, 5, 9});
  const quiz::Array<int> out(6);
  filter<<<1, 6>>>(line.get(), 6, out.get());
  quiz::answer(out.read()[drawn["x"]]);
}

// Marks each point that a thread of the block needs.
__global__ void mark_line(int* d_needed, int radius) {
  for (int i = -radius; i <= radius; ++i) {
    d_needed[radius + threadIdx.x + i] = 1;
    __syncthreads();
  }
}

int sum_of(const quiz::Array<int>& array) {
  int sum = 0;
  for (const int item : array.read()) {
    sum += item;
  }
  return sum;
}

void points_of_a_block(const Drawn& drawn) {
  const quiz::Array<int> needed(drawn["threads"] + 100);
  mark_line<<<1, drawn["threads"]>>>(needed.get(), drawn["radius"]);
  quiz::answer(sum_of(needed));
}

__global__ void read_shifted(const float* d_in, int shift) {
  const float item = d_in[64 + static_cast<int>(threadIdx.x) + shift];
  static_cast<void>(item);
}

void sectors_of_a_shift(const Drawn& drawn) {
  const quiz::Array<float> in(256);
  read_shifted<<<1, 32>>>(in.get(), drawn["shift"]);
  quiz::counted("global_read_sectors");
}

// Marks each pixel that a thread of the block needs, in rows of 64.
__global__ void mark_picture(int* d_needed, int radius) {
  for (int j = -radius; j <= radius; ++j) {
    for (int i = -radius; i <= radius; ++i) {
      d_needed[(radius + threadIdx.y + j) * 64 + radius + threadIdx.x + i] = 1;
      __syncthreads();
    }
  }
}

void pixels_of_a_tile(const Drawn& drawn) {
  const quiz::Array<int> needed(64 * 64);
  mark_picture<<<1, dim3(drawn["side"], drawn["side"])>>>(needed.get(), drawn["radius"]);
  quiz::answer(sum_of(needed));
}

__global__ void read_weights(const float* d_weights, int taps) {
  for (int i = 0; i < taps; ++i) {
    const float weight = d_weights[i];
    static_cast<void>(weight);
  }
}

void bytes_of_weights(const Drawn& drawn) {
  const quiz::Array<float> weights(drawn["taps"]);
  read_weights<<<4, 128>>>(weights.get(), drawn["taps"]);
  quiz::counted("32 * global_read_sectors / 512");
}

// Counts the products of both passes over one pixel, in which a row sum serves `taps` pixels.
__global__ void count_products(int* d_products, int taps) {
  for (int j = 0; j < taps; ++j) {
    for (int i = 0; i < taps; ++i) {
      atomicAdd(d_products, 1);
    }
  }
  for (int pixel = 0; pixel < taps; ++pixel) {
    for (int j = 0; j < taps; ++j) {
      atomicAdd(d_products, 1);
    }
  }
}

void products_of_two_passes(const Drawn& drawn) {
  const quiz::Array<int> products(1);
  count_products<<<1, 1>>>(products.get(), drawn["taps"]);
  quiz::answer(products.read()[0] / drawn["taps"]);
}

// Marks each row sum that a thread of the block needs, in rows of 64.
__global__ void mark_row_sums(int* d_needed, int radius) {
  for (int j = -radius; j <= radius; ++j) {
    d_needed[(radius + threadIdx.y + j) * 64 + threadIdx.x] = 1;
    __syncthreads();
  }
}

void row_sums_of_a_tile(const Drawn& drawn) {
  const quiz::Array<int> needed(64 * 64);
  mark_row_sums<<<1, dim3(drawn["side"], drawn["side"])>>>(needed.get(), drawn["radius"]);
  quiz::answer(sum_of(needed));
}

__global__ void slide(const float* d_column, int planes, float* d_out) {
  float below = d_column[0];
  float here = d_column[1];
  for (int z = 1; z <= planes; ++z) {
    const float above = d_column[z + 1];
    d_out[z] = below + here + above;
    below = here;
    here = above;
  }
}

void planes_of_a_slide(const Drawn& drawn) {
  const quiz::Array<float> column(drawn["planes"] + 2);
  const quiz::Array<float> out(drawn["planes"] + 2);
  slide<<<1, 1>>>(column.get(), drawn["planes"], out.get());
  quiz::counted("global_read_lanes");
}

// The first step completes all places. A place is complete after a later one if it and its four
// neighbours were complete before.
__global__ void complete(int* d_complete, int steps) {
  __shared__ int places[34][34];
  const int x = threadIdx.x + 1;
  const int y = threadIdx.y + 1;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < 34 * 34; i += blockDim.x * blockDim.y) {
    places[i / 34][i % 34] = 0;
  }
  __syncthreads();
  places[y][x] = 1;
  for (int step = 1; step < steps; ++step) {
    __syncthreads();
    const int is_complete =
        places[y][x] & places[y - 1][x] & places[y + 1][x] & places[y][x - 1] & places[y][x + 1];
    __syncthreads();
    places[y][x] = is_complete;
  }
  atomicAdd(d_complete, places[y][x]);
}

void threads_that_write(const Drawn& drawn) {
  const quiz::Array<int> count(1);
  complete<<<1, dim3(drawn["side"], drawn["side"])>>>(count.get(), drawn["steps"]);
  quiz::answer(count.read()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"point-of-a-line", point_of_a_line},
                    {"points-of-a-block", points_of_a_block},
                    {"sectors-of-a-shift", sectors_of_a_shift},
                    {"pixels-of-a-tile", pixels_of_a_tile},
                    {"bytes-of-weights", bytes_of_weights},
                    {"products-of-two-passes", products_of_two_passes},
                    {"row-sums-of-a-tile", row_sums_of_a_tile},
                    {"planes-of-a-slide", planes_of_a_slide},
                    {"threads-that-write", threads_that_write}});
}
