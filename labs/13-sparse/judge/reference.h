// SPDX-License-Identifier: MIT
// The right results.
#pragma once

#include <vector>

#include "data.h"

namespace lab_judge {

// What the contract says of one row: the sum, and how far a result may be from it. 0 if all numbers
// are whole, since then nothing is rounded.
struct RowSum {
  double exact;
  double allowed;
};
RowSum row_sum(const Matrix& matrix, const std::vector<float>& h_x, Numbers numbers, int row);

std::vector<int> distances_from(int source, const Graph& graph);

}  // namespace lab_judge
