// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>
#include <cmath>

#include "diagnosis.h"
#include "fixture/matrix.h"
#include "fixture/test_data.h"
#include "fixture/words.h"
#include "protocol/arena.h"

namespace lab_judge {
namespace {

constexpr double kUnit = 0x1p-24;  // u of the contract
constexpr double kExactBelow = 0x1p24;

Expected multiply(const Factors& factors, bool with_magnitudes) {
  const auto [num_rows, num_cols, depth] = factors.shape;
  const std::size_t count = std::size_t{1} * num_rows * num_cols;
  Expected expected{std::vector<double>(count), std::vector<double>(with_magnitudes ? count : 0)};
  for (int row = 0; row < num_rows; ++row) {
    double* const values = expected.values.data() + std::size_t{1} * row * num_cols;
    for (int k = 0; k < depth; ++k) {
      const double a = factors.h_a[std::size_t{1} * row * depth + k];
      const float* const b = factors.h_b.data() + std::size_t{1} * k * num_cols;
      for (int col = 0; col < num_cols; ++col) values[col] += a * b[col];
      if (!with_magnitudes) continue;
      double* const magnitudes = expected.magnitudes.data() + std::size_t{1} * row * num_cols;
      for (int col = 0; col < num_cols; ++col) magnitudes[col] += std::abs(a * b[col]);
    }
  }
  return expected;
}

}  // namespace

std::string text(const Shape& shape) {
  const auto matrix = [](int num_rows, int num_cols) {
    return "a " + std::to_string(num_rows) + " x " + std::to_string(num_cols) + " matrix";
  };
  return matrix(shape.num_rows, shape.depth) + " times " + matrix(shape.depth, shape.num_cols);
}

Factors random_integers(const Shape& shape, std::uint64_t seed) {
  const auto [num_rows, num_cols, depth] = shape;
  const double room = (kExactBelow - 1) / kLargeLimit / std::max(depth, 1);
  const int small_limit = std::min(kLargeLimit, std::max(1, static_cast<int>(room)));
  const bool a_is_large = judge::random_bits(seed, 0) % 2 == 0;
  return {shape,
          judge::random_integers(judge::random_bits(seed, 1), std::size_t{1} * num_rows * depth,
                                 a_is_large ? kLargeLimit : small_limit),
          judge::random_integers(judge::random_bits(seed, 2), std::size_t{1} * depth * num_cols,
                                 a_is_large ? small_limit : kLargeLimit)};
}

Factors random_reals(const Shape& shape, std::uint64_t seed) {
  const auto [num_rows, num_cols, depth] = shape;
  Factors factors{
      shape, judge::random_units(judge::random_bits(seed, 1), std::size_t{1} * num_rows * depth),
      judge::random_units(judge::random_bits(seed, 2), std::size_t{1} * depth * num_cols)};
  for (float& a : factors.h_a) a *= 4;
  for (float& b : factors.h_b) b *= 4;
  return factors;
}

Expected exact_product(const Factors& factors) { return multiply(factors, false); }
Expected rounded_product(const Factors& factors) { return multiply(factors, true); }

std::optional<judge::Failure> compare(const Factors& factors, const Expected& expected,
                                      const std::vector<float>& h_c) {
  const double steps = factors.shape.depth * kUnit;
  const double gamma = steps / (1 - steps);
  Result result{factors, expected, h_c, {}, gamma};
  for (std::size_t i = 0; i < h_c.size(); ++i) {
    if (!result.fits(i, expected.values[i])) result.wrong.push_back(i);
  }
  if (result.wrong.empty()) return std::nullopt;

  const std::size_t first = result.wrong.front();
  const auto place = "C(" + std::to_string(first / factors.shape.num_cols) + ", " +
                     std::to_string(first % factors.shape.num_cols) + ")";
  const std::string where =
      judge::extent_of(result.wrong, factors.shape.num_rows, factors.shape.num_cols);
  if (judge::is_poison(h_c[first])) {
    return judge::Failure{judge::kind::kOutputUnwritten,
                          text(factors.shape) + ": " + place + " was never written" + where,
                          explain_unwritten(result)};
  }
  std::string message = text(factors.shape) + ": expected " + place + " = " +
                        judge::number(expected.values[first]) + ", got " +
                        judge::number(h_c[first]);
  if (result.tolerance(first) > 0) {
    message += " (allowed error " + judge::number(result.tolerance(first)) + ")";
  }
  result.wrong = judge::thinned(result.wrong);
  return judge::Failure{judge::kind::kWrongResult, message + where, explain_wrong(result)};
}

}  // namespace lab_judge
