// SPDX-License-Identifier: MIT
#include <climits>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

// The window is one pixel, which grows until the table has the entry `d`.
__global__ void find_window(int* d_window, int a, int b, int c, int d) {
  const int above = b - a;  // the pixel above it, where the table has `b`
  const int left = c - a;
  int window = 0;
  while (a + above + left + window < d) {
    ++window;
  }
  *d_window = window;
}

void four_look_ups(const Drawn& drawn) {
  const quiz::Array<int> window(1);
  find_window<<<1, 1>>>(window.get(), drawn["a"], drawn["b"], drawn["c"], drawn["d"]);
  quiz::answer(window.read()[0]);
}

// A thread per line: the warps that work are those that read.
__global__ void read_first(const int* d_column, int* d_out, int height) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < height) {
    d_out[row] = d_column[row];
  }
}

void threads_of_rung_01(const Drawn& drawn) {
  const int height = drawn["height"];
  const quiz::Array<int> column(height);
  const quiz::Array<int> out(height);
  read_first<<<height / 256 + 1, 256>>>(column.get(), out.get(), height);
  quiz::counted("global_read_requests");
}

__global__ void read_pixels(const float* d_in, float* d_out, int first, int distance) {
  d_out[threadIdx.x] = d_in[first + distance * threadIdx.x];
}

void sectors_of_rows(const Drawn& drawn) {
  const quiz::Array<float> in(32 * drawn["width"]);
  const quiz::Array<float> out(32);
  read_pixels<<<1, 32>>>(in.get(), out.get(), 0, drawn["width"]);
  quiz::counted("global_read_sectors");
}

void sectors_of_columns(const Drawn& drawn) {
  const quiz::Array<float> in(64);
  const quiz::Array<float> out(32);
  read_pixels<<<1, 32>>>(in.get(), out.get(), drawn["first"], 1);
  quiz::counted("global_read_sectors");
}

__global__ void add_rows(int* d_rows, int width) {
  int sum = 0;
  int rows = 0;
  for (; sum <= INT_MAX - 255 * width; sum += 255 * width) {
    ++rows;
  }
  *d_rows = rows;
}

void largest_int_table(const Drawn& drawn) {
  const quiz::Array<int> rows(1);
  add_rows<<<1, 1>>>(rows.get(), drawn["width"]);
  quiz::answer(rows.read()[0]);
}

// A thread per column of a tile: one word of its own, and the tile's rows among them.
__global__ void write_edges(const int* d_picture, int* d_edges, int height) {
  int* const edges = d_edges + blockIdx.x * (32 + height);
  const int* const tile = d_picture + blockIdx.x * 32 * height;
  int sum = 0;
  for (int row = 0; row < height; ++row) {
    sum += tile[row * 32 + threadIdx.x];
  }
  edges[threadIdx.x] = sum;
  for (int row = threadIdx.x; row < height; row += 32) {
    edges[32 + row] = sum;
  }
}

void share_of_edges(const Drawn& drawn) {
  const int height = drawn["height"];
  const quiz::Array<int> picture(4 * 32 * height);
  const quiz::Array<int> edges(4 * (32 + height));
  write_edges<<<4, 32>>>(picture.get(), edges.get(), height);
  quiz::counted("100 * global_write_lanes / global_read_lanes");
}

// A launch per diagonal, until no tile is left.
__global__ void do_diagonal(int* d_tiles, int diagonal) {
  if (static_cast<int>(blockIdx.x + blockIdx.y) == diagonal) {
    atomicAdd(&d_tiles[diagonal], 1);
  }
}

std::vector<int> tiles_of_diagonals(const Drawn& drawn) {
  const int across = drawn["across"];
  const int down = drawn["down"];
  const quiz::Array<int> tiles(across * down);
  int left = across * down;
  for (int diagonal = 0; left > 0; ++diagonal) {
    do_diagonal<<<dim3(across, down), 1>>>(tiles.get(), diagonal);
    left -= tiles.read()[diagonal];
  }
  return tiles.read();
}

void diagonal_tiles(const Drawn& drawn) {
  int longest = 0;
  for (const int tiles : tiles_of_diagonals(drawn)) {
    longest = tiles > longest ? tiles : longest;
  }
  quiz::answer(longest);
}

void number_of_diagonals(const Drawn& drawn) {
  tiles_of_diagonals(drawn);
  quiz::counted("launches");
}

__global__ void add_row(const int* d_above, const int* d_pixels, int* d_entries) {
  int sum = 0;
  for (int column = 0; column <= static_cast<int>(threadIdx.x); ++column) {
    sum += d_pixels[column];
  }
  d_entries[threadIdx.x] = d_above[threadIdx.x] + sum;
}

void row_of_table(const Drawn& drawn) {
  const quiz::Array<int> above(std::vector<int>{3, 5, 9});
  const quiz::Array<int> pixels(std::vector<int>{drawn["a"], 2, drawn["b"]});
  const quiz::Array<int> entries(3);
  add_row<<<1, 3>>>(above.get(), pixels.get(), entries.get());
  quiz::answer(entries.read());
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"four-look-ups", four_look_ups},
                    {"threads-of-rung-01", threads_of_rung_01},
                    {"sectors-of-rows", sectors_of_rows},
                    {"sectors-of-columns", sectors_of_columns},
                    {"largest-int-table", largest_int_table},
                    {"share-of-edges", share_of_edges},
                    {"diagonal-tiles", diagonal_tiles},
                    {"number-of-diagonals", number_of_diagonals},
                    {"row-of-table", row_of_table}});
}
