// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>
#include <cmath>

#include "diagnosis.h"
#include "fixture/matrix.h"
#include "fixture/words.h"
#include "protocol/arena.h"

namespace lab_judge {

Expected attend(const Problem& problem) {
  const auto [num_heads, num_queries, num_keys] = problem.shape;
  const double scale = 1 / std::sqrt(double{lab::kHeadSize});
  const std::size_t num_elements = problem.shape.num_rows() * lab::kHeadSize;
  Expected expected{std::vector<double>(num_elements), std::vector<double>(num_elements)};
  std::vector<double> weights(num_keys);
  for (std::size_t row = 0; row < problem.shape.num_rows(); ++row) {
    const std::size_t head = row / num_queries;
    const int visible =
        problem.kind == Kind::kCausal ? static_cast<int>(row % num_queries) + 1 : num_keys;
    const float* const q = &problem.h_q[row * lab::kHeadSize];
    const float* const k = &problem.h_k[head * num_keys * lab::kHeadSize];
    const float* const v = &problem.h_v[head * num_keys * lab::kHeadSize];

    double largest_magnitude = 0;  // M
    for (int key = 0; key < visible; ++key) {
      double score = 0;
      double magnitude = 0;
      for (int e = 0; e < lab::kHeadSize; ++e) {
        const double product = double{q[e]} * k[key * lab::kHeadSize + e];
        score += product;
        magnitude += std::abs(product);
      }
      weights[key] = score * scale;
      largest_magnitude = std::max(largest_magnitude, magnitude * scale);
    }
    const double largest = *std::max_element(weights.begin(), weights.begin() + visible);
    double sum = 0;
    for (int key = 0; key < visible; ++key) {
      weights[key] = std::exp(weights[key] - largest);
      sum += weights[key];
    }
    double* const outputs = &expected.outputs[row * lab::kHeadSize];
    double* const allowed = &expected.allowed[row * lab::kHeadSize];
    for (int key = 0; key < visible; ++key) {
      for (int e = 0; e < lab::kHeadSize; ++e) {
        const double term = weights[key] / sum * v[key * lab::kHeadSize + e];
        outputs[e] += term;
        allowed[e] += std::abs(term);
      }
    }
    const double bound = error_bound(problem.kind == Kind::kBf16, visible, largest_magnitude);
    for (int e = 0; e < lab::kHeadSize; ++e) allowed[e] *= bound;
  }
  return expected;
}

std::optional<judge::Failure> compare(const Problem& problem, const Expected& expected,
                                      const std::vector<float>& h_out) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < h_out.size(); ++i) {
    if (!(std::abs(h_out[i] - expected.outputs[i]) <= expected.allowed[i])) wrong.push_back(i);
  }
  if (wrong.empty()) return std::nullopt;

  const std::size_t first = wrong.front();
  const std::size_t row = first / lab::kHeadSize;
  const std::string place = "element " + std::to_string(first % lab::kHeadSize) + " of output " +
                            std::to_string(row % problem.shape.num_queries) + " of head " +
                            std::to_string(row / problem.shape.num_queries);
  const std::string where =
      judge::extent_of(wrong, problem.shape.num_rows(), lab::kHeadSize) +
      (problem.shape.num_heads > 1 ? "; the outputs of all heads are the rows" : "");
  // The poison of a bfloat16 is not that of a float.
  const bool is_unwritten = problem.kind == Kind::kBf16
                                ? judge::is_poison(static_cast<std::uint16_t>(
                                      __bfloat16_as_ushort(__float2bfloat16(h_out[first]))))
                                : judge::is_poison(h_out[first]);
  if (is_unwritten) {
    return judge::Failure{judge::kind::kOutputUnwritten,
                          text(problem.shape) + ": " + place + " was never written" + where};
  }
  return judge::Failure{judge::kind::kWrongResult,
                        text(problem.shape) + ": expected " + place + " = " +
                            judge::number(expected.outputs[first]) + ", got " +
                            judge::number(h_out[first]) + " (allowed error " +
                            judge::number(expected.allowed[first]) + ")" + where,
                        explain(problem, h_out, wrong)};
}

}  // namespace lab_judge
