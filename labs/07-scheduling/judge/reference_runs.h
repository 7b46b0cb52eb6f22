// SPDX-License-Identifier: MIT
// The right result of rung 06, and cells to try it with.
#pragma once

#include <cstdint>
#include <vector>

namespace lab_judge {

struct Cells {
  int num_rows;
  int row_length;
  std::vector<int> cells;  // (num_rows, row_length)
};

// Rows full of runs, long and short ones; share: of cells that are free.
Cells random_cells(int num_rows, int row_length, double share, std::uint64_t seed);

struct Runs {
  std::vector<int> labels;    // (num_rows, row_length)
  std::vector<int> num_runs;  // (num_rows)
};
Runs find_runs(const Cells& grid);

}  // namespace lab_judge
