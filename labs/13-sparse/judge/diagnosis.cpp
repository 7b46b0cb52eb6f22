// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "diagnosis_merge_path.h"
#include "fixture/options.h"
#include "fixture/words.h"
#include "reference.h"
#include "sparse.cuh"

namespace lab_judge {
namespace {

constexpr std::size_t kEnough = 3;  // fewer rows have much in common by chance

// What a program makes of a row, whose nonzeros are at the places `begin` to `end`.
using RowOf = std::function<double(int row, int begin, int end)>;
using Term = std::function<double(int row, int k)>;

bool is_rung(const std::string& number) { return judge::options().rung.starts_with(number); }

double sum(const Term& term, int row, int begin, int end, int step = 1) {
  double total = 0;
  for (int k = begin; k < end; k += step) total += term(row, k);
  return total;
}

std::vector<double> results_of(const Matrix& matrix, const RowOf& row_of) {
  std::vector<double> results;
  for (int row = 0; row < matrix.num_rows(); ++row) {
    results.push_back(row_of(row, matrix.h_offsets[row], matrix.h_offsets[row + 1]));
  }
  return results;
}

// Whether the end of a walk of so many steps along the merge path cuts each row.
std::vector<bool> cut_by_walks(const Matrix& matrix, int num_steps) {
  std::vector<bool> is_cut;
  for (int row = 0; row < matrix.num_rows(); ++row) {
    const int begin_step = matrix.h_offsets[row] + row;
    const int end_step = matrix.h_offsets[row + 1] + row;
    is_cut.push_back(begin_step / num_steps != end_step / num_steps);
  }
  return is_cut;
}

// Whether the mistake explains the result. Where the mistake leaves it open, the result may be
// right by chance, or be what no sum of so many products is.
bool fits(const std::vector<double>& of_mistake, const std::vector<double>& right,
          const std::vector<float>& h_y, int num_products) {
  const double most = double{kLargestInput} * kLargestInput * num_products;
  bool is_wrong = false;
  for (std::size_t row = 0; row < h_y.size(); ++row) {
    const bool is_open = std::isnan(of_mistake[row]);
    const bool is_right = h_y[row] == right[row];
    const bool is_garbage = !(std::abs(h_y[row]) <= most);
    if (is_open ? !is_right && !is_garbage : of_mistake[row] != h_y[row]) return false;
    is_wrong = is_wrong || !is_right;
  }
  return is_wrong;
}

// The mistakes of rung 03.
std::vector<std::string> explain_path(const Matrix& matrix, const std::vector<double>& products,
                                      const std::vector<float>& h_y) {
  std::vector<std::string> clauses;
  MergePath path;
  const std::vector<double> right = multiply(matrix, products, path);
  const auto add = [&](const std::string& clause, const MergePath& mistake) {
    if (fits(multiply(matrix, products, mistake), right, h_y, matrix.num_nonzeros())) {
      clauses.push_back(clause);
    }
  };
  const auto add_carries = [&](MergePath::AddCarry MergePath::*level, const std::string& one,
                               const std::string& to_do) {
    MergePath mistake = path;
    const std::string left = "what a " + one + " leaves over is ";
    mistake.*level = [](auto&, int, double) {};
    add(left + "not added to its row" + to_do, mistake);
    mistake.*level = [](auto& sums, int row, double total) {
      if (row < std::ssize(sums)) sums[row] = total;
    };
    add("what a " + one + " leaves over replaces the rest of its row: is it added?", mistake);
    mistake.*level = [](auto& sums, int row, double total) {
      MergePath::add_to_row(sums, row + 1, total);
    };
    add(left + "added to the row after its own", mistake);
    mistake.*level = [](auto& sums, int row, double total) {
      MergePath::add_to_row(sums, row - 1, total);
    };
    add(left + "added to the row before its own", mistake);
  };
  for (int steps : {kStepsPerThread, 3, 7, 9, 11, 13, 15, 2, 4, 6, 8, 10, 12, 14, 16}) {
    if (!clauses.empty()) break;
    path.steps_per_thread = steps;
    MergePath mistake = path;
    mistake.clears_sum = false;
    add("a walk takes the sum of a row along into the next one: is it 0 after each end?", mistake);
    add_carries(&MergePath::add_of_walk, "walk", "");
    add_carries(&MergePath::add_of_tile, "tile", ": see d_carries");
    mistake = path;
    mistake.adds_by_last_lane = false;
    add("every lane adds what sum_of_row() gives it, not only the last lane of a row", mistake);
    mistake = path;
    mistake.joins = [](int lane, int distance, int, int) { return lane >= distance; };
    add("carries of all rows of a warp are added up: which row does each lane give to "
        "sum_of_row()?",
        mistake);
    mistake.joins = [](int, int, int row, int row_below) { return row == row_below; };
    add("in sum_of_row(), the first lanes add their own sums again: which lanes have a lane so far "
        "below them?",
        mistake);
    mistake = path;
    mistake.ends_before = [](int end, int row, int step) { return end + row <= step; };
    add("rows_within() also counts the row that ends in step `step`, which is not before it",
        mistake);
    mistake.ends_before = [](int end, int, int step) { return end < step; };
    add("rows_within() compares the nonzeros before the end of a row, not the steps: the ends of "
        "the rows before it are steps, too",
        mistake);
  }
  return clauses;
}

}  // namespace

std::vector<std::string> explain_product(const Matrix& matrix, const std::vector<float>& h_x,
                                         const std::vector<float>& h_y) {
  const auto value = [&](int k) { return double{matrix.h_values[k]}; };
  const auto x_at = [&](int i) { return i < matrix.num_columns ? double{h_x[i]} : 0; };
  const auto x_of = [&](int k) { return x_at(matrix.h_columns[k]); };
  const Term product = [&](int, int k) { return value(k) * x_of(k); };
  const auto places = [&](int row, int begin, int end) {
    return sum(product, row, std::max(begin, 0), std::min(end, matrix.num_nonzeros()));
  };
  const auto row_at = [&](int row) {
    if (row < 0 || row >= matrix.num_rows()) return 0.0;
    return places(row, matrix.h_offsets[row], matrix.h_offsets[row + 1]);
  };

  std::vector<std::string> clauses;
  const auto add_if = [&](const std::vector<double>& results, const std::string& clause) {
    if (std::ranges::equal(h_y, results)) clauses.push_back(clause);
  };
  const auto add = [&](const std::string& clause, const RowOf& row_of) {
    add_if(results_of(matrix, row_of), clause);
  };
  const auto add_terms = [&](const std::string& clause, const Term& term) {
    add(clause, [&](int row, int begin, int end) { return sum(term, row, begin, end); });
  };
  add("nothing is added up: all results are 0", [](int, int, int) { return 0; });
  add_terms("the values are added up, but not multiplied by x",
            [&](int, int k) { return value(k); });
  add_terms("items of x are added up, but not multiplied by the values",
            [&](int, int k) { return x_of(k); });
  add_terms("values and items of x are added, not multiplied",
            [&](int, int k) { return value(k) + x_of(k); });
  add_terms("x is read at the place of the nonzero, not at its column",
            [&](int, int k) { return value(k) * x_at(k); });
  add_terms("x is read at the row, not at the column",
            [&](int row, int k) { return value(k) * x_at(row); });
  add_terms("the column is read at the row, not at the place of the nonzero",
            [&](int row, int k) { return row < matrix.num_nonzeros() ? value(k) * x_of(row) : 0; });
  add("the last nonzero of each row is missing",
      [&](int row, int begin, int end) { return places(row, begin, end - 1); });
  add("the first nonzero of each row is missing",
      [&](int row, int begin, int end) { return places(row, begin + 1, end); });
  add("each row also has the first nonzero of the next one: where does it end?",
      [&](int row, int begin, int end) { return places(row, begin, end + 1); });
  add("only the first nonzero of each row is added",
      [&](int row, int begin, int end) { return places(row, begin, std::min(begin + 1, end)); });
  add("only the last nonzero of each row is left: is each product added to the sum?",
      [&](int row, int begin, int end) { return places(row, std::max(begin, end - 1), end); });
  add("results are one row too far down", [&](int row, int, int) { return row_at(row - 1); });
  add("results are one row too far up", [&](int row, int, int) { return row_at(row + 1); });
  add("each row is read from place 0 on, as many places as it has nonzeros: where does it begin?",
      [&](int row, int begin, int end) { return places(row, 0, end - begin); });
  add("each row is read from place 0 on: where does it begin?",
      [&](int row, int, int end) { return places(row, 0, end); });
  add("each row ends at the place that is its length: where does it end?",
      [&](int row, int begin, int end) { return places(row, begin, end - begin); });
  for (int lanes = 2; is_rung("02") && lanes <= 32; lanes *= 2) {
    const auto of_lane = [&](int row, int begin, int end, int step) {
      return sum(product, row, begin, end, step);
    };
    add("only one lane of each group adds to the result: are the sums of all lanes joined?",
        [&](int row, int begin, int end) { return of_lane(row, begin, end, lanes); });
    add("only the last lane of each group adds to the result: which lane has the total?",
        [&](int row, int begin, int end) { return of_lane(row, begin + lanes - 1, end, lanes); });
    add("only what the last lane of each group has is in the result, many times: which lane has "
        "the total?",
        [&](int row, int begin, int end) {
          return lanes * of_lane(row, begin + lanes - 1, end, lanes);
        });
    add("all lanes of a group add the same nonzeros, or the first adds its own sum again and again: "
        "does each begin at a place of its own, and get sums of lanes above it?",
        [&](int row, int begin, int end) { return lanes * of_lane(row, begin, end, lanes); });
    add("each row ends after as many nonzeros as it has lanes: is there a loop?",
        [&](int row, int begin, int end) {
          return places(row, begin, std::min(begin + lanes, end));
        });
    for (int step = 1; step <= 32; step *= 2) {
      if (step == lanes) continue;
      add("the lanes of a group go on by " + std::to_string(step) +
              (step == 1 ? " place" : " places") + ", not by as many as the group has lanes",
          [&](int row, int begin, int end) {
            double total = 0;
            for (int lane = 0; lane < lanes; ++lane) {
              total += of_lane(row, begin + lane, end, step);
            }
            return total;
          });
    }
  }
  if (!clauses.empty()) return clauses;

  if (!is_rung("03")) return clauses;
  std::vector<double> products;
  for (int k = 0; k < matrix.num_nonzeros(); ++k) products.push_back(product(0, k));
  return explain_path(matrix, products, h_y);
}

namespace {

// What some rows have in common, as in ": row 5 and all that follow"; else nothing.
std::string common_to(const std::vector<bool>& is_bad, const Matrix& matrix) {
  const int num_rows = matrix.num_rows();
  const auto length = [&](int row) { return matrix.h_offsets[row + 1] - matrix.h_offsets[row]; };
  std::vector<int> bad;
  for (int row = 0; row < num_rows; ++row) {
    if (is_bad[row]) bad.push_back(row);
  }
  const auto are_exactly = [&](const std::function<bool(int row)>& holds) {
    for (int row = 0; row < num_rows; ++row) {
      if (holds(row) != is_bad[row]) return false;
    }
    return true;
  };
  const auto lengths = std::ranges::minmax(bad, {}, length);
  if (length(lengths.max) == 0) return ": they are empty";
  if (static_cast<std::size_t>(num_rows) < bad.size() + kEnough) return "";
  if (bad.size() >= kEnough &&
      are_exactly([&](int row) { return length(row) >= length(lengths.min); })) {
    return ": those of " + std::to_string(length(lengths.min)) + " nonzeros and more";
  }
  for (const auto& [name, steps] :
       {std::pair{"walk", kStepsPerThread}, {"tile", kStepsPerThread * kThreadsPerBlock}}) {
    if (is_rung("03") && is_bad == cut_by_walks(matrix, steps)) {
      return ": exactly those that the end of a " + std::string(name) + " of " +
             std::to_string(steps) + " steps cuts";
    }
  }
  if (bad.size() < kEnough) return "";
  const int first = bad[0];
  if (are_exactly([&](int row) { return row >= first; })) {
    return ": row " + std::to_string(first) + " and all that follow";
  }
  for (int period = 2; period <= 1024; period *= 2) {
    if (first < period && are_exactly([&](int row) { return row % period >= first; })) {
      return ": of every " + std::to_string(period) + " rows, all but the first " +
             (first == 1 ? "one" : std::to_string(first));
    }
  }
  return "";
}

}  // namespace

std::string describe_unwritten_rows(const Matrix& matrix, const std::vector<float>& h_y) {
  std::vector<bool> is_unwritten;
  for (const float y : h_y) is_unwritten.push_back(judge::is_poison(y));
  const auto num_unwritten = std::ranges::count(is_unwritten, true);
  if (num_unwritten == 1) return "";
  return ", nor were " + std::to_string(num_unwritten - 1) + " more of " +
         judge::counted(matrix.num_rows(), "row") + common_to(is_unwritten, matrix);
}

std::string describe_wrong_rows(const Matrix& matrix, const std::vector<float>& h_x,
                                const std::vector<float>& h_y) {
  const int num_rows = matrix.num_rows();
  if (num_rows == 1) return "";
  const Term product = [&](int, int k) {
    return double{matrix.h_values[k]} * h_x[matrix.h_columns[k]];
  };
  const std::vector<double> expected = results_of(
      matrix, [&](int row, int begin, int end) { return sum(product, row, begin, end); });
  std::vector<bool> is_wrong;
  std::vector<int> wrong;
  for (int row = 0; row < num_rows; ++row) {
    is_wrong.push_back(h_y[row] != expected[row]);
    if (is_wrong[row]) wrong.push_back(row);
  }
  std::string text = "; " + std::to_string(wrong.size()) + " of " + std::to_string(num_rows) +
                     (wrong.size() == 1 ? " rows is wrong" : " rows are wrong");

  const double excess = h_y[wrong[0]] - expected[wrong[0]];
  const double factor = expected[wrong[0]] == 0 ? 0 : h_y[wrong[0]] / expected[wrong[0]];
  if (wrong.size() >= kEnough) {
    if (std::ranges::all_of(wrong, [&](int row) { return h_y[row] - expected[row] == excess; })) {
      return text + ", each of them " + judge::number(std::abs(excess)) +
             (excess > 0 ? " too large" : " too small");
    }
    if (factor > 1 &&
        std::ranges::all_of(wrong, [&](int row) { return h_y[row] == factor * expected[row]; })) {
      return text + ", each of them " + judge::number(factor) + " times as large as it should be";
    }
  }
  if (const std::string common = common_to(is_wrong, matrix); !common.empty()) return text + common;
  if (std::accumulate(h_y.begin(), h_y.end(), 0.0) ==
      std::accumulate(expected.begin(), expected.end(), 0.0)) {
    return text + ", but all results together are right: parts of rows are in other rows";
  }
  return text;
}

std::vector<std::string> explain_rounding(const std::vector<float>& h_y) {
  if (!std::ranges::all_of(h_y, [](float y) { return y == std::trunc(y); })) return {};
  return {"every result is a whole number: is the sum kept in an int?"};
}

std::string describe_wrong_distances(const std::vector<int>& expected,
                                     const std::vector<int>& h_distances) {
  int num_wrong = 0;
  int nearest = -1;  // of the wrong vertices that are in reach
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (h_distances[v] == expected[v]) continue;
    ++num_wrong;
    if (expected[v] == lab::kUnreached) continue;
    nearest = nearest < 0 ? expected[v] : std::min(nearest, expected[v]);
  }
  std::string text = std::to_string(num_wrong) + " of " + std::to_string(expected.size()) +
                     (num_wrong == 1 ? " vertices is wrong" : " vertices are wrong");
  if (nearest < 0) return text + ": only vertices out of reach";
  return text + ", the nearest at distance " + std::to_string(nearest);
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
  add("nothing is reached but the source: does a claim store the distance? atomicCAS takes the "
      "address, the value that is there, and the value to store",
      [&](int right) { return right == 0 ? 0 : unreached; });
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
  if (clauses.empty() && h_distances[source] > 0) {
    clauses.emplace_back("the source is reached again: a vertex that has a distance keeps it");
  }
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
  if (is_less && !is_more && !is_missing) {
    clauses.emplace_back(
        "some distances are too small: is each one more than that of the vertex that found it, and "
        "are the two neighbours?");
  }
  if (is_more && !is_less && !is_missing) {
    clauses.emplace_back(
        "some vertices are reached too late: was a vertex left out of its frontier?");
  }
  return clauses;
}

}  // namespace lab_judge
