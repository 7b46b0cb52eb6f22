// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "diagnosis.h"
#include "protocol/arena.h"

namespace lab_judge {
namespace {

constexpr double kUnit = 0x1p-24;  // u of the contract
constexpr std::size_t kMaxElementsExplained = 64;

std::string number(double value) {
  std::ostringstream out;
  out.precision(9);
  out << value;
  return out.str();
}

std::string range(const char* what, std::size_t first, std::size_t last) {
  std::string words = std::string(what) + (first == last ? " " : "s ") + std::to_string(first);
  if (first != last) words += " to " + std::to_string(last);
  return words;
}

// ". Of 1024 elements 64 are wrong, in rows 0 to 31 and columns 8 to 9"
std::string extent(const Shape& shape, const std::vector<std::size_t>& wrong) {
  const auto num_cols = static_cast<std::size_t>(shape.num_cols);
  const auto by_col = [=](std::size_t one, std::size_t other) {
    return one % num_cols < other % num_cols;
  };
  const auto [left, right] = std::ranges::minmax_element(wrong, by_col);
  return ". Of " + std::to_string(num_cols * shape.num_rows) + " elements " +
         std::to_string(wrong.size()) + (wrong.size() == 1 ? " is" : " are") + " wrong, in " +
         range("row", wrong.front() / num_cols, wrong.back() / num_cols) + " and " +
         range("column", *left % num_cols, *right % num_cols);
}

// At most kMaxElementsExplained of them, spread evenly.
std::vector<std::size_t> thinned(const std::vector<std::size_t>& elements) {
  const std::size_t step = elements.size() / kMaxElementsExplained + 1;
  std::vector<std::size_t> few;
  for (std::size_t i = 0; i < elements.size(); i += step) few.push_back(elements[i]);
  return few;
}

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
      return 0x1p-16 + 10 * depth * kUnit;
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
  Result result{factors, expected, h_c, {}};
  for (std::size_t i = 0; i < h_c.size(); ++i) {
    if (!result.fits(i, expected.values[i])) result.wrong.push_back(i);
  }
  if (result.wrong.empty()) return std::nullopt;

  const std::size_t first = result.wrong.front();
  const auto place = "C(" + std::to_string(first / factors.shape.num_cols) + ", " +
                     std::to_string(first % factors.shape.num_cols) + ")";
  const std::string where = extent(factors.shape, result.wrong);
  if (judge::is_poison(h_c[first])) {
    return judge::Failure{judge::kind::kOutputUnwritten,
                          text(factors.shape) + ": " + place + " was never written" + where,
                          explain_unwritten(result)};
  }
  std::string message = text(factors.shape) + ": expected " + place + " = " +
                        number(expected.values[first]) + ", got " + number(h_c[first]);
  if (result.allowed(first) > 0) {
    message += " (allowed error " + number(result.allowed(first)) + ")";
  }
  result.wrong = thinned(result.wrong);
  return judge::Failure{judge::kind::kWrongResult, message + where, explain_wrong(result)};
}

}  // namespace lab_judge
