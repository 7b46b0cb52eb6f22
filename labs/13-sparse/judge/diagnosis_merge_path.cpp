// SPDX-License-Identifier: MIT
#include "diagnosis_merge_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lab_judge {
namespace {

constexpr int kWarpSize = 32;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Carry {
  int row;
  double sum;
};

// row_ends[i]: the nonzeros before the end of row i.
int rows_within(int step, const std::vector<int>& row_ends, const MergePath& path) {
  int low = 0;
  int high = static_cast<int>(row_ends.size());
  while (low < high) {
    const int middle = (low + high) / 2;
    if (path.ends_before(row_ends[middle], middle, step)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// A carry per lane, of a warp whose last lanes may have none.
void add_carries(const std::vector<Carry>& carries, const MergePath& path,
                 const MergePath::AddCarry& add, std::vector<double>& row_sums) {
  const int num_carries = static_cast<int>(carries.size());
  std::vector<double> sums;
  for (const Carry& carry : carries) sums.push_back(carry.sum);
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const std::vector<double> before = sums;
    for (int i = 0; i < num_carries; ++i) {
      const int lane = i % kWarpSize;
      const int below = lane >= distance ? i - distance : i;  // as a shuffle has it
      if (path.joins(lane, distance, carries[i].row, carries[below].row)) sums[i] += before[below];
    }
  }
  for (int i = 0; i < num_carries; ++i) {
    const bool is_last = i % kWarpSize == kWarpSize - 1 || i + 1 == num_carries ||
                         carries[i + 1].row != carries[i].row;
    if (is_last || !path.adds_by_last_lane) add(row_sums, carries[i].row, sums[i]);
  }
}

// A block's part of the path: its first row and nonzero, and one past its last.
struct Tile {
  int first_row, first_nonzero, end_row, end_nonzero;
};

// The sums of the rows that end in the tile, and of the one that ends later.
std::vector<double> walk(const Tile& tile, const Matrix& matrix,
                         const std::vector<double>& products, const MergePath& path) {
  const int num_rows = tile.end_row - tile.first_row;
  const int num_steps = num_rows + tile.end_nonzero - tile.first_nonzero;
  std::vector<int> row_ends;
  for (int row = tile.first_row; row < tile.end_row; ++row) {
    row_ends.push_back(matrix.h_offsets[row + 1] - tile.first_nonzero);
  }
  const auto product = [&](int nonzero) {
    const int place = tile.first_nonzero + nonzero;
    const bool is_loaded = nonzero >= 0 && place >= 0 && place < tile.end_nonzero &&
                           place < static_cast<int>(products.size());
    return is_loaded ? products[place] : kUnknown;
  };
  std::vector<double> row_sums(num_rows, kUnknown);
  row_sums.push_back(0);
  std::vector<Carry> carries;
  for (int thread = 0; thread < kThreadsPerBlock; ++thread) {
    const int begin = std::min(thread * path.steps_per_thread, num_steps);
    const int end = std::min(begin + path.steps_per_thread, num_steps);
    int row = rows_within(begin, row_ends, path);
    int nonzero = begin - row;
    double sum = 0;
    for (int step = begin; step < end; ++step) {
      const bool ends_row = row < num_rows && nonzero >= row_ends[row];
      if (!ends_row) {
        sum += product(nonzero++);
        continue;
      }
      row_sums[row++] = sum;
      if (path.clears_sum) sum = 0;
    }
    carries.push_back({row, sum});
  }
  add_carries(carries, path, path.add_of_walk, row_sums);
  return row_sums;
}

}  // namespace

void MergePath::add_to_row(std::vector<double>& row_sums, int row, double total) {
  if (row >= 0 && row < static_cast<int>(row_sums.size())) row_sums[row] += total;
}

std::vector<double> multiply(const Matrix& matrix, const std::vector<double>& products,
                             const MergePath& path) {
  const int num_rows = matrix.num_rows();
  const int num_steps = num_rows + matrix.num_nonzeros();
  const int steps_per_tile = kThreadsPerBlock * path.steps_per_thread;
  const std::vector<int> row_ends(matrix.h_offsets.begin() + 1, matrix.h_offsets.end());
  std::vector<double> results(num_rows, kUnknown);
  std::vector<Carry> carries;
  for (int begin = 0; begin < num_steps; begin += steps_per_tile) {
    const int end = std::min(begin + steps_per_tile, num_steps);
    const int first_row = rows_within(begin, row_ends, path);
    const int end_row = rows_within(end, row_ends, path);
    const std::vector<double> row_sums =
        walk({first_row, begin - first_row, end_row, end - end_row}, matrix, products, path);
    std::copy(row_sums.begin(), row_sums.end() - 1, results.begin() + first_row);
    carries.push_back({end_row, row_sums.back()});
  }
  add_carries(carries, path, path.add_of_tile, results);
  return results;
}

}  // namespace lab_judge
