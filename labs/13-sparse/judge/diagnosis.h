// SPDX-License-Identifier: MIT
// Names the mistakes that a wrong result looks like. A name is a guess: it is shown only when the
// result is exactly what the mistake would give.
#pragma once

#include <string>
#include <vector>

#include "data.h"

namespace lab_judge {

// Clauses that complete "It looks as if ...": one for each mistake that gives this wrong result,
// the most specific first. For a matrix of whole numbers.
std::vector<std::string> explain_product(const Matrix& matrix, const std::vector<float>& h_x,
                                         const std::vector<float>& h_y);
// The same for real numbers.
std::vector<std::string> explain_rounding(const std::vector<float>& h_y);
std::vector<std::string> explain_distances(const Graph& graph, int source,
                                           const std::vector<int>& h_distances);

}  // namespace lab_judge
