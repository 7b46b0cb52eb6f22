// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "workload_checks.h"
#include "workload_items.h"

namespace lab_judge {

// Of some items of a row, or of all: the largest, and the sum of their powers.
struct Denominator {
  double largest;
  double sum;
};

namespace {

using lab::Curve;
using lab::kNumTerms;
using lab::Sample;

// Threads that add up a row: neighbours read neighbours, and no thread has too much to do.
constexpr std::size_t kLeastThreads = 8;
constexpr std::size_t kItemsPerThread = 1024;
constexpr float kRange = 16;  // of the items

struct WrongPoint {
  const float* d_points;
  const float* d_x;
  const float* d_y;
  const float* d_z;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    const float* const point = d_points + 3 * i;
    return d_x[i] == point[0] && d_y[i] == point[1] && d_z[i] == point[2] ? 0 : 1;
  }
};

struct FillSample {
  Sample* d_samples;
  std::uint64_t seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    d_samples[i] = random_sample(seed, i);
    return 0;
  }
};

struct Terms {
  const float* coefficients;  // (kNumTerms)
  LOCKSTEP_HOST_DEVICE float operator()(int j) const { return coefficients[j]; }
};

struct Expected {
  const Sample* samples;
  const float* coefficients;  // (kNumKinds, kNumTerms)
  LOCKSTEP_HOST_DEVICE Curve curve(std::size_t i) const {
    return curve_by_powers(samples[i].x, Terms{coefficients + samples[i].kind * kNumTerms});
  }
};

struct WrongCurve {
  Expected expected;
  const Curve* d_curves;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    const Curve curve = expected.curve(i);
    return d_curves[i].value == curve.value && d_curves[i].slope == curve.slope ? 0 : 1;
  }
};

struct FillItem {
  float* d_in;
  std::uint64_t seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    d_in[i] = kRange * judge::random_unit(seed, i);
    return 0;
  }
};

LOCKSTEP_HOST_DEVICE inline double power(float item, double largest) {
  return exp(static_cast<double>(item) - largest);
}

// Adds up every pieces_per_row-th item of a row.
struct AddPiece {
  const float* d_in;
  std::size_t row_length;
  std::size_t pieces_per_row;
  Denominator* d_pieces;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t piece) const {
    const float* const items = d_in + piece / pieces_per_row * row_length;
    const std::size_t begin = piece % pieces_per_row;
    float largest = items[begin];
    for (std::size_t i = begin; i < row_length; i += pieces_per_row) {
      if (items[i] > largest) largest = items[i];
    }
    double sum = 0;
    for (std::size_t i = begin; i < row_length; i += pieces_per_row) {
      sum += power(items[i], largest);
    }
    d_pieces[piece] = {largest, sum};
    return 0;
  }
};

struct AddRow {
  const Denominator* d_pieces;
  std::size_t pieces_per_row;
  Denominator* d_rows;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t row) const {
    const Denominator* const pieces = d_pieces + row * pieces_per_row;
    Denominator all = pieces[0];
    for (std::size_t i = 1; i < pieces_per_row; ++i) {
      if (pieces[i].largest > all.largest) all.largest = pieces[i].largest;
    }
    all.sum = 0;
    for (std::size_t i = 0; i < pieces_per_row; ++i) {
      all.sum += pieces[i].sum * exp(pieces[i].largest - all.largest);
    }
    d_rows[row] = all;
    return 0;
  }
};

struct WrongShare {
  const float* d_in;
  const float* d_out;
  const Denominator* d_rows;
  std::size_t row_length;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    const Denominator row = d_rows[i / row_length];
    const double expected = power(d_in[i], row.largest) / row.sum;
    const double distance = row.largest - d_in[i];
    return is_share(d_out[i], expected, distance, static_cast<int>(row_length)) ? 0 : 1;
  }
};

}  // namespace

void fill_samples(Sample* d_samples, std::size_t count, std::uint64_t seed) {
  judge::sum_over(count, FillSample{d_samples, seed});
}

std::size_t count_wrong_curves(const Sample* d_samples, const float* d_coefficients,
                               const Curve* d_curves, std::size_t count) {
  return judge::sum_over(count, WrongCurve{{d_samples, d_coefficients}, d_curves});
}

std::size_t count_wrong_points(const float* d_points, const float* d_x, const float* d_y,
                               const float* d_z, std::size_t count) {
  return judge::sum_over(count, WrongPoint{d_points, d_x, d_y, d_z});
}

void fill_items(float* d_in, std::size_t count, std::uint64_t seed) {
  judge::sum_over(count, FillItem{d_in, seed});
}

struct RowSums::Rows {
  std::size_t num_rows;
  std::size_t row_length;
  judge::PrivateArray<Denominator> sums;
};

RowSums::RowSums(std::size_t num_rows, std::size_t row_length)
    : rows_(new Rows{num_rows, row_length, judge::PrivateArray<Denominator>(num_rows)}) {}
RowSums::~RowSums() = default;

void RowSums::add_up(const float* d_in) {
  const std::size_t pieces_per_row =
      std::min(rows_->row_length, std::max(kLeastThreads, rows_->row_length / kItemsPerThread));
  const std::size_t num_pieces = rows_->num_rows * pieces_per_row;
  judge::PrivateArray<Denominator> pieces(num_pieces);
  judge::sum_over(num_pieces,
                  AddPiece{d_in, rows_->row_length, pieces_per_row, pieces.device_data()});
  judge::sum_over(rows_->num_rows,
                  AddRow{pieces.device_data(), pieces_per_row, rows_->sums.device_data()});
}

std::size_t RowSums::count_wrong_shares(const float* d_in, const float* d_out) const {
  return judge::sum_over(rows_->num_rows * rows_->row_length,
                         WrongShare{d_in, d_out, rows_->sums.device_data(), rows_->row_length});
}

}  // namespace lab_judge
