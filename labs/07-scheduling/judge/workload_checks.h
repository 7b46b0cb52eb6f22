// SPDX-License-Identifier: MIT
// Makes and checks what measured calls use in device memory: copying gigabytes would take seconds.
// All pointers are to device memory (cpu backend: to shared host memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "scheduling.cuh"

namespace lab_judge {

// ---- 05_divergence
void fill_samples(lab::Sample* d_samples, std::size_t count, std::uint64_t seed);

// How many of `count` curves are not those of the samples.
std::size_t count_wrong_curves(const lab::Sample* d_samples, const float* d_coefficients,
                               const lab::Curve* d_curves, std::size_t count);

// ---- 07_coalescing: how many of `count` points are wrong in d_x, d_y or d_z.
std::size_t count_wrong_points(const float* d_points, const float* d_x, const float* d_y,
                               const float* d_z, std::size_t count);

// ---- 07b to 08
void fill_items(float* d_in, std::size_t count, std::uint64_t seed);

// The sum of the powers of each row, in memory that no submission maps.
class RowSums {
 public:
  RowSums(std::size_t num_rows, std::size_t row_length);
  ~RowSums();

  void add_up(const float* d_in);
  // How many items of d_out are not their shares of the rows that were added up.
  std::size_t count_wrong_shares(const float* d_in, const float* d_out) const;

 private:
  struct Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace lab_judge
