// SPDX-License-Identifier: MIT
#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "protocol/arena.h"
#include "reference.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

constexpr std::size_t kCheckedRows = 64;

template <class T>
struct FillQueries {
  Measured<T> call;
  Numbers numbers;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    call.d_q[index] = T(numbers.query(index));
    return 0;
  }
};
template <class T>
struct FillKeysAndValues {
  Measured<T> call;
  Numbers numbers;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    call.d_k[index] = T(numbers.key(index));
    call.d_v[index] = T(numbers.value(index));
    return 0;
  }
};

// The elements that still are poison.
template <class T>
struct Unwritten {
  const T* d_out;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(d_out + index);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      if (bytes[i] != judge::kPoisonByte) return 0;
    }
    return 1;
  }
};

// The rows that are checked. The steps that follow compute them by the definition.
template <class T>
struct Rows {
  Measured<T> call;
  std::uint64_t seed;

  LOCKSTEP_HOST_DEVICE std::size_t row(std::size_t checked) const {
    const std::uint64_t num_rows = std::uint64_t{1} * call.shape.num_heads * call.shape.num_queries;
    return judge::random_bits(seed, checked) % num_rows;
  }
  LOCKSTEP_HOST_DEVICE std::size_t first_key(std::size_t checked) const {
    return row(checked) / call.shape.num_queries * call.shape.num_keys;
  }
  LOCKSTEP_HOST_DEVICE int num_visible(std::size_t checked) const {
    return call.is_causal ? static_cast<int>(row(checked) % call.shape.num_queries) + 1
                          : call.shape.num_keys;
  }
};

// All scores, and the magnitudes that bound their errors.
template <class T>
struct Scores {
  Rows<T> rows;
  double* d_scores;      // (checked rows, num_keys)
  double* d_magnitudes;  // the same
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const std::size_t checked = index / rows.call.shape.num_keys;
    const std::size_t key = index % rows.call.shape.num_keys;
    const T* const q = rows.call.d_q + rows.row(checked) * lab::kHeadSize;
    const T* const k = rows.call.d_k + (rows.first_key(checked) + key) * lab::kHeadSize;
    double score = 0;
    double magnitude = 0;
    for (int e = 0; e < lab::kHeadSize; ++e) {
      const double product = double{static_cast<float>(q[e])} * static_cast<float>(k[e]);
      score += product;
      magnitude += product < 0 ? -product : product;
    }
    const double scale = 1 / std::sqrt(double{lab::kHeadSize});
    d_scores[index] = score * scale;
    d_magnitudes[index] = magnitude * scale;
    return 0;
  }
};

// Of a row: the largest score, the sum of the powers, and the error that the contract allows.
struct Sums {
  double largest, sum, bound;
};
template <class T>
struct AddRows {
  Rows<T> rows;
  const double* d_scores;
  const double* d_magnitudes;
  Sums* d_sums;  // (checked rows)
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t checked) const {
    const int num_visible = rows.num_visible(checked);
    const std::size_t first = checked * rows.call.shape.num_keys;
    double largest = d_scores[first];
    double magnitude = 0;
    for (int key = 0; key < num_visible; ++key) {
      if (d_scores[first + key] > largest) largest = d_scores[first + key];
      if (d_magnitudes[first + key] > magnitude) magnitude = d_magnitudes[first + key];
    }
    double sum = 0;
    for (int key = 0; key < num_visible; ++key) sum += std::exp(d_scores[first + key] - largest);
    d_sums[checked] = {largest, sum,
                       error_bound(std::is_same_v<T, __nv_bfloat16>, num_visible, magnitude)};
    return 0;
  }
};

// The elements of the checked rows that are wrong.
template <class T>
struct Wrong {
  Rows<T> rows;
  const double* d_scores;
  const Sums* d_sums;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const std::size_t checked = index / lab::kHeadSize;
    const std::size_t element = index % lab::kHeadSize;
    const auto [largest, sum, bound] = d_sums[checked];
    double output = 0;
    double magnitude = 0;
    for (int key = 0; key < rows.num_visible(checked); ++key) {
      const double weight =
          std::exp(d_scores[checked * rows.call.shape.num_keys + key] - largest) / sum;
      const double value = static_cast<float>(
          rows.call.d_v[(rows.first_key(checked) + key) * lab::kHeadSize + element]);
      output += weight * value;
      magnitude += weight * (value < 0 ? -value : value);
    }
    const double got =
        static_cast<float>(rows.call.d_out[rows.row(checked) * lab::kHeadSize + element]);
    const double error = got < output ? output - got : got - output;
    return error <= bound * magnitude ? 0 : 1;
  }
};

}  // namespace

template <class T>
void fill(const Measured<T>& call, std::uint64_t seed) {
  const auto [num_heads, num_queries, num_keys] = call.shape;
  const Numbers numbers{seed, num_queries, num_keys, call.is_causal};
  judge::sum_over(call.shape.num_rows() * lab::kHeadSize, FillQueries<T>{call, numbers});
  judge::sum_over(std::size_t{1} * num_heads * num_keys * lab::kHeadSize,
                  FillKeysAndValues<T>{call, numbers});
}

template <class T>
bool are_outputs_right(const Measured<T>& call, std::uint64_t seed) {
  const std::size_t num_rows = call.shape.num_rows();
  if (judge::sum_over(num_rows * lab::kHeadSize, Unwritten<T>{call.d_out}) > 0) return false;

  const std::size_t num_checked = std::min(kCheckedRows, num_rows);
  const std::size_t num_scores = num_checked * call.shape.num_keys;
  const Rows<T> rows{call, seed};
  judge::PrivateArray<double> scores(num_scores);
  judge::PrivateArray<double> magnitudes(num_scores);
  judge::PrivateArray<Sums> sums(num_checked);
  double* const d_scores = scores.device_data();
  double* const d_magnitudes = magnitudes.device_data();
  Sums* const d_sums = sums.device_data();
  judge::sum_over(num_scores, Scores<T>{rows, d_scores, d_magnitudes});
  judge::sum_over(num_checked, AddRows<T>{rows, d_scores, d_magnitudes, d_sums});
  return judge::sum_over(num_checked * lab::kHeadSize, Wrong<T>{rows, d_scores, d_sums}) == 0;
}

template void fill(const Measured<float>&, std::uint64_t);
template void fill(const Measured<__nv_bfloat16>&, std::uint64_t);
template bool are_outputs_right(const Measured<float>&, std::uint64_t);
template bool are_outputs_right(const Measured<__nv_bfloat16>&, std::uint64_t);

}  // namespace lab_judge
