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
// Completes a message by what the wrong rows have in common, whatever the mistake is, as in "; 1 of
// 38 rows is wrong". At least one is.
std::string describe_wrong_rows(const Matrix& matrix, const std::vector<float>& h_x,
                                const std::vector<float>& h_y);
// The same, for a message about a row that was never written, as in ", nor were 3 more of 8 rows".
std::string describe_unwritten_rows(const Matrix& matrix, const std::vector<float>& h_y);
// Clauses for real numbers.
std::vector<std::string> explain_rounding(const std::vector<float>& h_y);
// Says where a search goes wrong. At least one distance is.
std::string describe_wrong_distances(const std::vector<int>& expected,
                                     const std::vector<int>& h_distances);
std::vector<std::string> explain_distances(const Graph& graph, int source,
                                           const std::vector<int>& h_distances);

}  // namespace lab_judge
