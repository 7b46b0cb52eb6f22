// SPDX-License-Identifier: MIT
// Rung 03 as a program of one thread, with parts that can be replaced by mistakes.
#pragma once

#include <functional>
#include <vector>

#include "data.h"

namespace lab_judge {

inline constexpr int kThreadsPerBlock = 256;  // of the starters
inline constexpr int kStepsPerThread = 5;

struct MergePath {
  // What is added to the sums of the rows that ended: by a walk, or by a tile.
  using AddCarry = std::function<void(std::vector<double>& row_sums, int row, double total)>;
  static void add_to_row(std::vector<double>& row_sums, int row, double total);

  int steps_per_thread = kStepsPerThread;
  // In rows_within: whether a row is counted, which has `end` nonzeros before its end.
  std::function<bool(int end, int row, int step)> ends_before = [](int end, int row, int step) {
    return end + row < step;
  };
  bool clears_sum = true;  // at the end of a row
  // In sum_of_row.
  std::function<bool(int lane, int distance, int row, int row_below)> joins =
      [](int lane, int distance, int row, int row_below) {
        return lane >= distance && row == row_below;
      };
  bool adds_by_last_lane = true;  // of each row, else by every lane
  AddCarry add_of_walk = add_to_row;
  AddCarry add_of_tile = add_to_row;
};

// d_y of that program, where `products` has one item per nonzero of the matrix. NaN: unknown, as it
// depends on what nothing has written.
std::vector<double> multiply(const Matrix& matrix, const std::vector<double>& products,
                             const MergePath& path);

}  // namespace lab_judge
