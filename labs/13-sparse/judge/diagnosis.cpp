// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <functional>

#include "reference.h"
#include "sparse.cuh"

namespace lab_judge {
namespace {

// What a program makes of the places `begin` to `end` of a row.
using RowOf = std::function<double(int row, int begin, int end)>;

bool makes(const Matrix& matrix, const std::vector<float>& h_y, const RowOf& row_of) {
  for (int row = 0; row < matrix.num_rows(); ++row) {
    if (h_y[row] != row_of(row, matrix.h_offsets[row], matrix.h_offsets[row + 1])) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> explain_product(const Matrix& matrix, const std::vector<float>& h_x,
                                         const std::vector<float>& h_y) {
  const auto value = [&](int k) { return double{matrix.h_values[k]}; };
  const auto product = [&](int k) { return value(k) * h_x[matrix.h_columns[k]]; };
  const auto sum = [](int begin, int end, const std::function<double(int k)>& term) {
    double total = 0;
    for (int k = begin; k < end; ++k) total += term(k);
    return total;
  };
  const auto row_at = [&](int row) {
    if (row < 0 || row >= matrix.num_rows()) return 0.0;
    return sum(matrix.h_offsets[row], matrix.h_offsets[row + 1], product);
  };
  const auto x_at = [&](int i) { return i < matrix.num_columns ? double{h_x[i]} : 0; };

  std::vector<std::string> clauses;
  const auto add = [&](const char* clause, const RowOf& row_of) {
    if (makes(matrix, h_y, row_of)) clauses.emplace_back(clause);
  };
  add("nothing is added up: all results are 0", [](int, int, int) { return 0; });
  add("the values are added up, but not multiplied by x",
      [&](int, int begin, int end) { return sum(begin, end, value); });
  add("x is read at the place of the nonzero, not at its column", [&](int, int begin, int end) {
    return sum(begin, end, [&](int k) { return value(k) * x_at(k); });
  });
  add("x is read at the row, not at the column", [&](int row, int begin, int end) {
    return sum(begin, end, [&](int k) { return value(k) * x_at(row); });
  });
  add("the last nonzero of each row is missing",
      [&](int, int begin, int end) { return sum(begin, std::max(begin, end - 1), product); });
  add("the first nonzero of each row is missing",
      [&](int, int begin, int end) { return sum(std::min(begin + 1, end), end, product); });
  add("only the first nonzero of each row is added",
      [&](int, int begin, int end) { return sum(begin, std::min(begin + 1, end), product); });
  add("results are one row too far down", [&](int row, int, int) { return row_at(row - 1); });
  add("results are one row too far up", [&](int row, int, int) { return row_at(row + 1); });
  for (int lanes = 2; lanes <= 32; lanes *= 2) {
    add("only one lane of each group adds to the result: are the lanes' sums joined?",
        [&](int, int begin, int end) {
          double total = 0;
          for (int k = begin; k < end; k += lanes) total += product(k);
          return total;
        });
    add("each row ends after as many nonzeros as it has lanes: is there a loop?",
        [&](int, int begin, int end) { return sum(begin, std::min(begin + lanes, end), product); });
  }
  return clauses;
}

std::vector<std::string> explain_distances(const Graph& graph, int source,
                                           const std::vector<int>& h_distances) {
  const std::vector<int> expected = distances_from(source, graph);
  std::vector<std::string> clauses;
  const auto add = [&](const char* clause, const std::function<int(int distance)>& changed) {
    if (std::ranges::equal(expected, h_distances,
                           [&](int right, int got) { return changed(right) == got; })) {
      clauses.emplace_back(clause);
    }
  };
  const int unreached = lab::kUnreached;
  add("nothing is reached but the source", [&](int right) { return right == 0 ? 0 : unreached; });
  add("the distance of the source is not set to 0",
      [&](int right) { return right == 0 ? unreached : right; });
  add("distances are counted from 1, not from 0",
      [&](int right) { return right == unreached ? right : right + 1; });
  add("vertices out of reach get 0, not kUnreached",
      [&](int right) { return right == unreached ? 0 : right; });
  add("only the neighbours of the source are reached",
      [&](int right) { return right > 1 ? unreached : right; });
  if (!clauses.empty()) return clauses;

  bool is_less = false;
  bool is_more = false;
  bool is_missing = false;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    const int got = h_distances[v];
    is_missing = is_missing || (got == unreached && expected[v] != unreached);
    is_less = is_less || (got != unreached && got < expected[v]);
    is_more = is_more || (expected[v] != unreached && got > expected[v]);
  }
  if (is_missing && !is_less && !is_more) {
    clauses.emplace_back(
        "some vertices are never reached: are all edges of a frontier followed, and does every new "
        "vertex get into the next one?");
  }
  if (is_more && !is_less && !is_missing) {
    clauses.emplace_back(
        "some vertices are reached too late: was a vertex left out of its frontier?");
  }
  return clauses;
}

}  // namespace lab_judge
