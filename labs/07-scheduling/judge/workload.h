// SPDX-License-Identifier: MIT
// The measured calls of rungs 05 and 07 to 08, each compared with the device's copy, and what these
// and the tests share.
#pragma once

#include <chrono>

#include "fixture/host_device.h"
#include "fixture/test_data.h"
#include "measure/workload.h"
#include "protocol/call_encoding.h"
#include "scheduling.cuh"

namespace lab_judge {

// An item is a sample, a point, an item of a row of 256, and an item of a row that fits no cache.
judge::Workload curves_workload(std::size_t num_samples);
judge::Workload points_workload(std::size_t num_points);
judge::Workload short_rows_workload(std::size_t num_items);
judge::Workload long_rows_workload(std::size_t num_items);

// ---- 05_divergence: x in [-3, 3] and coefficients in [-9, 9], whole numbers, so that values and
// slopes stay below 2^24 in any way to evaluate them.
inline constexpr int kXLimit = 3;
inline constexpr int kCoefficientLimit = 9;

LOCKSTEP_HOST_DEVICE inline lab::Sample random_sample(std::uint64_t seed, std::uint64_t index) {
  return {judge::random_integer(seed, index, kXLimit),
          static_cast<int>(judge::random_bits(~seed, index) % lab::kNumKinds)};
}

// The curve of given terms at x, by powers. terms(j) is the coefficient of x^j.
template <class Terms>
LOCKSTEP_HOST_DEVICE lab::Curve curve_by_powers(float x, Terms terms) {
  lab::Curve curve = {0, 0};
  float power = 1;
  float power_below = 0;
  for (int j = 0; j < lab::kNumTerms; ++j) {
    curve.value += terms(j) * power;
    curve.slope += static_cast<float>(j) * terms(j) * power_below;
    power_below = power;
    power *= x;
  }
  return curve;
}

// ---- 07b to 08: whether `got` is the share of an item that is `distance` below its row's
// maximum, within the contract's error.
LOCKSTEP_HOST_DEVICE inline bool is_share(float got, double expected, double distance,
                                          int row_length) {
  const double factor = (64 + 4 * distance + row_length / 32.0) * 0x1p-24;
  const double error = got - expected;
  // An item at -infinity has no share; infinity * 0 would allow anything, as it is a NaN.
  const double allowed = (expected == 0 ? 0 : expected * factor) + 0x1p-126;
  return error <= allowed && -error <= allowed;  // a NaN is neither
}

// ---- of slots

inline std::optional<judge::Failure> expect_none_wrong(std::size_t num_wrong, std::size_t num_items,
                                                       const std::string& what) {
  if (num_wrong == 0) return std::nullopt;
  return judge::Failure{
      judge::kind::kWrongResult,
      std::to_string(num_wrong) + " of " + std::to_string(num_items) + " " + what + " are wrong"};
}

// The device's copy of num_words words.
template <class In, class Out>
wire::Call encode_copy(const std::string& function, const judge::Buffer<In>& d_in,
                       std::size_t num_words, const judge::Buffer<Out>& d_out) {
  return judge::encode_call<void(const In*, int, Out*)>(function.c_str(), d_in,
                                                        static_cast<int>(num_words), d_out);
}

// Milliseconds that `work` takes, once. It returns some of its result, so that the compiler must
// not skip it.
template <class Work>
double milliseconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  volatile float result = work();
  static_cast<void>(result);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace lab_judge
