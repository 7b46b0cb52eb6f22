// SPDX-License-Identifier: MIT
#include "data.h"

#include <algorithm>
#include <cmath>

#include "fixture/test_data.h"

namespace lab_judge {
namespace {

constexpr double kExactBelow = 0x1p24;      // a float's integers
constexpr double kExactE4m3Below = 0x1p13;  // of 14 bits, see the contract
constexpr int kLargestOfBf16 = 255;
constexpr int kLargestOfSplit = 65535;
constexpr int kLargestOfE4m3 = 15;
constexpr float kRealsBelow = 4;

int limit(double room, int most) { return std::clamp(static_cast<int>(room), 1, most); }

Factors factors_of(Format format, const Shape& shape, std::vector<float> h_a,
                   std::vector<float> h_b) {
  return {format, shape, std::move(h_a), std::move(h_b), {}, {}};
}

std::size_t size_of_a(const Shape& shape) { return std::size_t{1} * shape.num_rows * shape.depth; }
std::size_t size_of_b(const Shape& shape) { return std::size_t{1} * shape.depth * shape.num_cols; }

}  // namespace

Factors random_integers(Format format, const Shape& shape, std::uint64_t seed) {
  const bool a_is_large = judge::random_bits(seed, 0) % 2 == 0;
  const int terms = std::max(shape.depth, 1);
  int large = 0;
  int small = 0;
  switch (format) {
    case Format::kBf16:
      large = kLargestOfBf16;
      small = limit((kExactBelow - 1) / large / terms, kLargestOfBf16);
      break;
    case Format::kSplit:
      small = limit((kExactBelow - 1) / kLargestOfSplit / terms, kLargestOfBf16);
      large = limit((kExactBelow - 1) / small / terms, kLargestOfSplit);
      break;
    case Format::kE4m3:
      large = small = limit(std::sqrt(kExactE4m3Below / terms), kLargestOfE4m3);
      break;
  }
  Factors factors = factors_of(format, shape,
                               judge::random_integers(judge::random_bits(seed, 1), size_of_a(shape),
                                                      a_is_large ? large : small),
                               judge::random_integers(judge::random_bits(seed, 2), size_of_b(shape),
                                                      a_is_large ? small : large));
  if (format == Format::kE4m3) {
    factors.h_a_scales = judge::random_integers(judge::random_bits(seed, 3), shape.num_rows, 3);
    factors.h_b_scales = judge::random_integers(judge::random_bits(seed, 4), shape.num_cols, 3);
    for (float& scale : factors.h_a_scales) scale = std::exp2(scale);
    for (float& scale : factors.h_b_scales) scale = std::exp2(scale);
  }
  return factors;
}

Factors random_reals(Format format, const Shape& shape, std::uint64_t seed) {
  const auto units = [&](std::uint64_t index, std::size_t count) {
    return judge::random_units(judge::random_bits(seed, index), count);
  };
  Factors factors =
      factors_of(format, shape, units(1, size_of_a(shape)), units(2, size_of_b(shape)));
  for (std::vector<float>* const h_values : {&factors.h_a, &factors.h_b}) {
    for (float& value : *h_values) {
      value = kRealsBelow * value;
      if (format == Format::kBf16) value = __bfloat162float(__float2bfloat16(value));
      if (format == Format::kE4m3) value = static_cast<float>(__nv_fp8_e4m3(value));
    }
  }
  if (format == Format::kE4m3) {
    factors.h_a_scales = units(3, shape.num_rows);
    factors.h_b_scales = units(4, shape.num_cols);
    for (float& scale : factors.h_a_scales) scale += 0.5F;
    for (float& scale : factors.h_b_scales) scale += 0.5F;
  }
  return factors;
}

std::vector<__nv_bfloat16> to_bf16(const std::vector<float>& h_values) {
  std::vector<__nv_bfloat16> h_numbers;
  h_numbers.reserve(h_values.size());
  for (const float value : h_values) h_numbers.push_back(__float2bfloat16(value));
  return h_numbers;
}

std::vector<__nv_fp8_e4m3> to_e4m3(const std::vector<float>& h_values) {
  std::vector<__nv_fp8_e4m3> h_numbers;
  h_numbers.reserve(h_values.size());
  for (const float value : h_values) h_numbers.emplace_back(value);
  return h_numbers;
}

std::vector<float> transposed(const std::vector<float>& h_values, int num_rows, int num_cols) {
  std::vector<float> h_result(h_values.size());
  for (int row = 0; row < num_rows; ++row) {
    for (int col = 0; col < num_cols; ++col) {
      h_result[std::size_t{1} * col * num_rows + row] =
          h_values[std::size_t{1} * row * num_cols + col];
    }
  }
  return h_result;
}

}  // namespace lab_judge
