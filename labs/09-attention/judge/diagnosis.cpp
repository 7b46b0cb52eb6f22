// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lab_judge {
namespace {

constexpr std::size_t kMaxRows = 8;  // that are examined

// A way to compute a row, right or wrong.
struct Rule {
  std::string clause;
  double scale = 1 / std::sqrt(double{lab::kHeadSize});
  bool divides = true;                           // by the sum of the weights
  int first = 0;                                 // keys: the first,
  int end = 0;                                   // and the end; further ones are zeros
  int masked = std::numeric_limits<int>::max();  // keys from here on have the score 0
  int tile = std::numeric_limits<int>::max();
  bool corrects_outputs = true;  // where the maximum grows from tile to tile
  bool corrects_sums = true;
  std::size_t head = 0;
};

std::vector<double> row_by(const Rule& rule, const Problem& problem, std::size_t row) {
  const int num_keys = problem.shape.num_keys;
  const float* const q = &problem.h_q[row * lab::kHeadSize];
  const std::size_t first_element = rule.head * num_keys * lab::kHeadSize;
  std::vector<double> outputs(lab::kHeadSize);
  double sum = 0;
  double largest = -std::numeric_limits<double>::infinity();
  const auto score_of = [&](int key) {
    double score = 0;
    if (key >= rule.masked) return score;
    for (int e = 0; e < lab::kHeadSize && key < num_keys; ++e) {
      score += double{q[e]} * problem.h_k[first_element + key * lab::kHeadSize + e];
    }
    return score * rule.scale;
  };
  for (int begin = rule.first; begin < rule.end;) {
    const int end = rule.end - begin > rule.tile ? begin + rule.tile : rule.end;
    double new_largest = largest;
    for (int key = begin; key < end; ++key) new_largest = std::max(new_largest, score_of(key));
    const double correction = std::exp(largest - new_largest);
    if (rule.corrects_sums) sum *= correction;
    for (double& output : outputs) output *= rule.corrects_outputs ? correction : 1;
    largest = new_largest;
    for (int key = begin; key < end; ++key) {
      const double weight = std::exp(score_of(key) - largest);
      sum += weight;
      for (int e = 0; e < lab::kHeadSize && key < num_keys; ++e) {
        outputs[e] += weight * problem.h_v[first_element + key * lab::kHeadSize + e];
      }
    }
    begin = end;
  }
  for (double& output : outputs) output /= rule.divides ? sum : 1;
  return outputs;
}

bool gives(const Rule& rule, const Problem& problem, const std::vector<float>& h_out,
           std::size_t row) {
  // Relative to the largest output of the row.
  const double tolerance = problem.kind == Kind::kBf16 ? 0x1p-6 : 0x1p-12;
  const std::vector<double> outputs = row_by(rule, problem, row);
  double largest = 0;
  for (const double output : outputs) largest = std::max(largest, std::abs(output));
  for (int e = 0; e < lab::kHeadSize; ++e) {
    const double got = h_out[row * lab::kHeadSize + e];
    if (std::isnan(got) && std::isnan(outputs[e])) continue;  // of no key
    if (!(std::abs(got - outputs[e]) <= tolerance * largest)) return false;
  }
  return true;
}

// What could have been computed for a row that has `visible` keys.
std::vector<Rule> rules(const Problem& problem, std::size_t head, int visible) {
  const int num_keys = problem.shape.num_keys;
  const Rule right{.clause = "", .end = visible, .head = head};
  std::vector<Rule> all;
  const auto add = [&](const char* clause, auto change) {
    Rule rule = right;
    rule.clause = clause;
    change(rule);
    all.push_back(rule);
  };
  add("the scores are not divided by sqrt(kHeadSize)", [](Rule& rule) { rule.scale = 1; });
  add("the scores are divided by kHeadSize, and not by its root",
      [](Rule& rule) { rule.scale = 1.0 / lab::kHeadSize; });
  add("powers of 2 are taken where the scores are for powers of e",
      [](Rule& rule) { rule.scale *= std::log(2.0); });
  add("powers of e are taken where the scores are for powers of 2",
      [](Rule& rule) { rule.scale /= std::log(2.0); });
  add("the outputs are not divided by the sum of the weights",
      [](Rule& rule) { rule.divides = false; });
  add("every head has the keys and values of head 0", [](Rule& rule) { rule.head = 0; });
  if (problem.kind == Kind::kCausal) {
    add("the keys after a query are not masked", [=](Rule& rule) { rule.end = num_keys; });
    add("a query has no weight for its own key", [](Rule& rule) { --rule.end; });
    add("a query has the key after its own, too", [](Rule& rule) { ++rule.end; });
  }
  for (const int tile : {8, 16, 32, 64, 128}) {
    const int rest = visible % tile;
    if (rest != 0) {
      add("zeros past the last key take part as keys of score 0",
          [=](Rule& rule) { rule.end += tile - rest; });
      if (visible > tile) {
        add("the last, partial tile of keys is left out", [=](Rule& rule) { rule.end -= rest; });
      }
      if (problem.kind == Kind::kCausal) {
        add("the keys after a query have the score 0, and so a weight", [=](Rule& rule) {
          rule.end += tile - rest;
          rule.masked = visible;
        });
      }
    }
    if (visible <= tile) continue;
    add("only the first tile of keys takes part", [=](Rule& rule) { rule.end = tile; });
    add("the first tile of keys is left out", [=](Rule& rule) { rule.first = tile; });
    add("only the last tile of keys takes part",
        [=](Rule& rule) { rule.first = (visible - 1) / tile * tile; });
    add("neither sums nor outputs are corrected where a tile has a new maximum", [=](Rule& rule) {
      rule.tile = tile;
      rule.corrects_outputs = rule.corrects_sums = false;
    });
    add("the outputs are not corrected where a tile has a new maximum", [=](Rule& rule) {
      rule.tile = tile;
      rule.corrects_outputs = false;
    });
    add("the sum is not corrected where a tile has a new maximum", [=](Rule& rule) {
      rule.tile = tile;
      rule.corrects_sums = false;
    });
  }
  return all;
}

}  // namespace

std::string explain(const Problem& problem, const std::vector<float>& h_out,
                    const std::vector<std::size_t>& wrong) {
  if (std::ranges::all_of(wrong, [&](std::size_t i) { return std::isnan(h_out[i]); })) {
    return "the powers overflow, or all weights of a row are 0: the row's largest score has to be "
           "subtracted before the power";
  }
  std::vector<std::size_t> rows;
  for (const std::size_t element : wrong) {
    const std::size_t row = element / lab::kHeadSize;
    if (rows.empty() || rows.back() != row) rows.push_back(row);
  }
  std::vector<std::string> fitting;
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    const std::size_t row = rows[i * rows.size() / std::min(rows.size(), kMaxRows)];
    const int place = static_cast<int>(row % problem.shape.num_queries);
    const int visible = problem.kind == Kind::kCausal ? place + 1 : problem.shape.num_keys;
    const std::size_t head = row / problem.shape.num_queries;
    // A slightly wrong row would look like any mistake that hardly changes it.
    if (gives({.clause = "", .end = visible, .head = head}, problem, h_out, row)) return {};
    std::vector<std::string> clauses;
    for (const Rule& rule : rules(problem, head, visible)) {
      const bool is_open = i == 0 || std::ranges::find(fitting, rule.clause) != fitting.end();
      if (is_open && gives(rule, problem, h_out, row)) clauses.push_back(rule.clause);
    }
    fitting = clauses;
    if (fitting.empty()) return {};
  }
  return fitting.front();
}

}  // namespace lab_judge
