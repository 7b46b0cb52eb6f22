// SPDX-License-Identifier: MIT
// Rung 06: rows of floats as numbers of 8 bits with a scale, and the product of such matrices.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fixture.h"
#include "fixture/test_data.h"
#include "tensor_cores.cuh"

namespace lab_judge {
namespace {

constexpr double kLargest = 448;
constexpr int kFractionBits = 3;
constexpr int kMinExponent = -6;            // of normal numbers
constexpr double kScaleError = 0x1p-22;     // relative, of the contract
constexpr double kQuotientError = 0x1p-22;  // x / scale in float, before it is rounded again

// Half of the distance between the numbers of e4m3 around `value`.
double half_step(double value) {
  const int exponent = value == 0 ? kMinExponent : std::max(kMinExponent, std::ilogb(value));
  return std::ldexp(0.5, exponent - kFractionBits);
}

class MatmulE4m3 : public ProductFixture {
 protected:
  MatmulE4m3() : ProductFixture(Format::kE4m3) {}

  std::optional<judge::Failure> quantize(const std::vector<float>& h_x, int num_rows, int depth) {
    begin_case();
    const auto d_x = input("d_x", h_x);
    const auto d_q = output<__nv_fp8_e4m3>("d_q", h_x.size());
    const auto d_scales = output<float>("d_scales", num_rows);
    if (auto failure = call<decltype(lab::quantize_e4m3)>("quantize_e4m3", d_x, num_rows, depth,
                                                          d_q, d_scales)) {
      return failure;
    }
    const auto h_q = d_q.download();
    const auto h_scales = d_scales.download();
    for (int row = 0; row < num_rows; ++row) {
      const float* const h_row = h_x.data() + std::size_t{1} * row * depth;
      const auto* const h_numbers = h_q.data() + std::size_t{1} * row * depth;
      if (auto failure = compare_row(h_row, h_numbers, h_scales[row], depth)) {
        failure->message = std::to_string(num_rows) + " rows of " + std::to_string(depth) +
                           " numbers: row " + std::to_string(row) + ": " + failure->message;
        return failure;
      }
    }
    return std::nullopt;
  }

  // Rows of very different magnitudes, some with zeros; every eighth is a row of zeros.
  std::vector<float> random_rows(int num_rows, int depth) {
    const std::uint64_t seed = next_seed();
    std::vector<float> h_x =
        judge::random_units(judge::random_bits(seed, 0), std::size_t{1} * num_rows * depth);
    for (std::size_t i = 0; i < h_x.size(); ++i) {
      const std::uint64_t row_bits = judge::random_bits(seed, 1 + i / depth);
      const std::uint64_t bits = judge::random_bits(seed + 1, i);
      if (row_bits % 8 == 0 || bits % 16 == 0) h_x[i] = 0;
      if (bits % 2 == 1) h_x[i] = -h_x[i];
      h_x[i] = std::ldexp(h_x[i], static_cast<int>(row_bits / 8 % 60) - 30);
    }
    return h_x;
  }

 private:
  static std::optional<judge::Failure> compare_row(const float* h_row,
                                                   const __nv_fp8_e4m3* h_numbers, float scale,
                                                   int depth) {
    float most = 0;
    for (int k = 0; k < depth; ++k) most = std::max(most, std::abs(h_row[k]));
    const double expected = most > 0 ? most / kLargest : 1;
    if (judge::is_poison(scale)) {
      return judge::Failure{judge::kind::kOutputUnwritten, "d_scales was never written", ""};
    }
    if (!(std::abs(scale - expected) <= kScaleError * expected)) {
      const std::string pattern = std::abs(scale * expected - 1) < kScaleError
                                      ? "the scale is the inverse: 448 over the largest magnitude"
                                  : std::abs(scale / expected - kLargest) < 1e-3
                                      ? "the scale is not divided by 448"
                                      : "";
      return judge::Failure{
          judge::kind::kWrongResult,
          "expected the scale " + std::to_string(expected) + ", got " + std::to_string(scale),
          pattern};
    }
    for (int k = 0; k < depth; ++k) {
      const double quotient = h_row[k] / static_cast<double>(scale);
      const double got = static_cast<float>(h_numbers[k]);
      if (std::abs(got - quotient) <= half_step(quotient) + kQuotientError * std::abs(quotient)) {
        continue;
      }
      const double multiplied = h_row[k] * static_cast<double>(scale);
      const bool is_product =
          std::abs(got - std::clamp(multiplied, -kLargest, kLargest)) <= half_step(multiplied);
      return judge::Failure{judge::kind::kWrongResult,
                            "number " + std::to_string(k) + " is " + std::to_string(got) +
                                ", and x / scale is " + std::to_string(quotient),
                            is_product ? "x is multiplied by the scale, and not divided" : ""};
    }
    return std::nullopt;
  }
};

TEST_F(MatmulE4m3, QuantizesRows) {
  for (const auto& [num_rows, depth] :
       {std::pair{16, 16}, {16, 48}, {32, 128}, {48, 256}, {16, 1040}, {272, 64}}) {
    if (const auto failure = quantize(random_rows(num_rows, depth), num_rows, depth)) {
      return fail(*failure);
    }
  }
}

TEST_F(MatmulE4m3, QuantizesNothing) {
  if (const auto failure = quantize(random_rows(32, 16), 32, 16)) return fail(*failure);
  if (const auto failure = quantize({}, 32, 0)) return fail(*failure);
  if (const auto failure = quantize({}, 0, 32)) return fail(*failure);
}

TEST_F(MatmulE4m3, MultipliesWholeTiles) { multiplies_whole_tiles(); }
TEST_F(MatmulE4m3, MultipliesPartialTiles) { multiplies_partial_tiles(); }
TEST_F(MatmulE4m3, MultipliesAnyShape) { multiplies_any_shape(); }
TEST_F(MatmulE4m3, GivesZeroForDepthZero) { gives_zero_for_depth_zero(); }
TEST_F(MatmulE4m3, WritesNothingWithoutRowsOrColumns) { writes_nothing_without_rows_or_columns(); }
TEST_F(MatmulE4m3, StaysWithinTheErrorBound) { stays_within_the_error_bound(); }
TEST_F(MatmulE4m3, WorksOnEveryCall) { works_on_every_call(); }
TEST_F(MatmulE4m3, DependsOnNoOrderOfExecution) { depends_on_no_order_of_execution(); }

}  // namespace
}  // namespace lab_judge
