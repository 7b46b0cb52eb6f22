// SPDX-License-Identifier: MIT
#include "reference_runs.h"

#include "fixture/test_data.h"

namespace lab_judge {

Cells random_cells(int num_rows, int row_length, double share, std::uint64_t seed) {
  Cells grid{num_rows, row_length, {}};
  const std::size_t num_cells = std::size_t{1} * num_rows * row_length;
  for (std::size_t i = 0; i < num_cells; ++i) {
    grid.cells.push_back(judge::random_unit(seed, i) < share ? 1 : 0);
  }
  // Not all walls: a kernel that does nothing would label those correctly.
  if (num_cells > 0) grid.cells[judge::random_bits(seed, num_cells) % num_cells] = 1;
  return grid;
}

Runs find_runs(const Cells& grid) {
  Runs runs{std::vector<int>(grid.cells.size()), std::vector<int>(grid.num_rows)};
  for (int row = 0; row < grid.num_rows; ++row) {
    const int* const cells = grid.cells.data() + row * grid.row_length;
    int last = 0;  // the run of the cell to the right, counted from 1; 0: none
    for (int i = grid.row_length - 1; i >= 0; --i) {
      if (cells[i] == 0) {
        last = 0;
      } else if (last == 0) {
        last = i + 1;
        ++runs.num_runs[row];
      }
      runs.labels[row * grid.row_length + i] = last;
    }
  }
  return runs;
}

}  // namespace lab_judge
