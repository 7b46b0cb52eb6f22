// SPDX-License-Identifier: MIT
#include "reference.h"

#include <cmath>

#include "diagnosis.h"
#include "fixture/matrix.h"
#include "fixture/words.h"
#include "protocol/arena.h"

namespace lab_judge {
namespace {

constexpr double kUnit = 0x1p-24;  // u of the contract

// The sums of terms, or of their magnitudes.
std::vector<double> sums_of(const Factors& factors, bool of_magnitudes) {
  const auto [num_rows, num_cols, depth] = factors.shape;
  std::vector<double> sums(std::size_t{1} * num_rows * num_cols);
  for (int row = 0; row < num_rows; ++row) {
    double* const row_sums = sums.data() + std::size_t{1} * row * num_cols;
    for (int k = 0; k < depth; ++k) {
      const double a = factors.h_a[std::size_t{1} * row * depth + k];
      const float* const b = factors.h_b.data() + std::size_t{1} * k * num_cols;
      for (int col = 0; col < num_cols; ++col) {
        row_sums[col] += of_magnitudes ? std::abs(a * b[col]) : a * b[col];
      }
    }
    for (int col = 0; col < num_cols; ++col) {
      row_sums[col] *= factors.a_scale(row) * factors.b_scale(col);
    }
  }
  return sums;
}

}  // namespace

std::string text(const Shape& shape) {
  const auto matrix = [](int num_rows, int num_cols) {
    return "a " + std::to_string(num_rows) + " x " + std::to_string(num_cols) + " matrix";
  };
  return matrix(shape.num_rows, shape.depth) + " times " + matrix(shape.depth, shape.num_cols);
}

double error_bound(Format format, int depth) {
  switch (format) {
    case Format::kBf16:
      return 3 * depth * kUnit / (1 - 3 * depth * kUnit);
    case Format::kSplit:
      return 0x1p-14 + 10 * depth * kUnit;
    case Format::kE4m3:
      return 1.125 * depth * 0x1p-13 + 4 * kUnit;
  }
  return 0;
}

Expected exact_product(const Factors& factors) { return {sums_of(factors, false), {}}; }

Expected rounded_product(const Factors& factors) {
  Expected expected{sums_of(factors, false), sums_of(factors, true)};
  for (double& allowed : expected.allowed) {
    allowed *= error_bound(factors.format, factors.shape.depth);
  }
  return expected;
}

std::optional<judge::Failure> compare(const Factors& factors, const Expected& expected,
                                      const std::vector<float>& h_c) {
  Result result{factors, expected, h_c};
  for (std::size_t i = 0; i < h_c.size(); ++i) {
    (result.fits(i, expected.values[i]) ? result.right : result.wrong).push_back(i);
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
  if (result.allowed(first) > 0) {
    message += " (allowed error " + judge::number(result.allowed(first)) + ")";
  }
  return judge::Failure{judge::kind::kWrongResult, message + where, explain_wrong(result)};
}

}  // namespace lab_judge
