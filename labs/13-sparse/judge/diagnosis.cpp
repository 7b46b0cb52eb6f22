// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <cmath>
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

// The results of walks of `num_steps` steps along the merge path, whose carries are dropped. With
// `clears`, the sum is 0 after the end of a row; without, it goes on, and the carries are added.
std::vector<double> walked(const Matrix& matrix, const std::function<double(int k)>& product,
                           int num_steps, bool clears) {
  std::vector<double> sums(matrix.num_rows());
  double sum = 0;
  int step = 0;
  const auto end_step = [&](int row) {
    if (++step % num_steps != 0) return;
    if (!clears && row < matrix.num_rows()) sums[row] += sum;
    sum = 0;
  };
  for (int row = 0; row < matrix.num_rows(); ++row) {
    for (int k = matrix.h_offsets[row]; k < matrix.h_offsets[row + 1]; ++k) {
      sum += product(k);
      end_step(row);
    }
    sums[row] += sum;
    if (clears) sum = 0;
    end_step(row + 1);
  }
  return sums;
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
  add("each row is read from place 0 on, as many places as it has nonzeros: where does it begin?",
      [&](int, int begin, int end) { return sum(0, end - begin, product); });
  for (int lanes = 2; lanes <= 32; lanes *= 2) {
    const auto of_lane_0 = [&](int begin, int end) {
      double total = 0;
      for (int k = begin; k < end; k += lanes) total += product(k);
      return total;
    };
    add("only one lane of each group adds to the result: are the sums of all lanes joined?",
        [&](int, int begin, int end) { return of_lane_0(begin, end); });
    add("all lanes of a group add the same nonzeros: does each begin at a place of its own?",
        [&](int, int begin, int end) { return lanes * of_lane_0(begin, end); });
    add("each row ends after as many nonzeros as it has lanes: is there a loop?",
        [&](int, int begin, int end) { return sum(begin, std::min(begin + lanes, end), product); });
  }
  if (!clauses.empty()) return clauses;

  const auto add_walked = [&](const char* clause, int num_steps, bool clears) {
    if (std::ranges::equal(h_y, walked(matrix, product, num_steps, clears))) {
      clauses.emplace_back(clause);
    }
  };
  constexpr int kThreadsPerBlock = 256;  // of the starter
  for (int num_steps = 2; num_steps <= 16 && clauses.empty(); ++num_steps) {
    add_walked("a walk takes the sum of a row along into the next one: is it 0 after each end?",
               num_steps, false);
    add_walked("what a walk leaves over is not added to its row", num_steps, true);
    add_walked("what a tile leaves over is not added to its row: see d_carries",
               num_steps * kThreadsPerBlock, true);
  }
  return clauses;
}

std::vector<std::string> explain_rounding(const std::vector<float>& h_y) {
  if (!std::ranges::all_of(h_y, [](float y) { return y == std::trunc(y); })) return {};
  return {"every result is a whole number: is the sum kept in an int?"};
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
  add("each distance but the source's is one too small: how far are the neighbours of the source?",
      [&](int right) { return right > 0 ? right - 1 : right; });
  add("all distances are 0: a memset fills bytes, and kUnreached has 0xff in each of its own",
      [&](int) { return 0; });
  add("every vertex that is reached gets the distance 1",
      [&](int right) { return std::min(right, 1); });
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
