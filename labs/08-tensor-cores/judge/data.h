// SPDX-License-Identifier: MIT
// The factors that the tests multiply, and their conversion to what the functions take.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <vector>

#include "reference.h"

namespace lab_judge {

// Random integers of which every sum of products is exact, however a tensor core adds. They have as
// many bits as their format holds, so that a format with fewer loses some:
//   kBf16   8 bits in both factors
//   kSplit  16 bits in one factor, by the seed, and 8 in the other, whose low parts are 0
//   kE4m3   up to 4 bits; the scales are powers of two
Factors random_integers(Format format, const Shape& shape, std::uint64_t seed);

// Positive real numbers, because cancellation would hide errors, with all bits of the format in
// play.
Factors random_reals(Format format, const Shape& shape, std::uint64_t seed);

std::vector<__nv_bfloat16> to_bf16(const std::vector<float>& h_values);
std::vector<__nv_fp8_e4m3> to_e4m3(const std::vector<float>& h_values);
// (num_rows, num_cols) as (num_cols, num_rows).
std::vector<float> transposed(const std::vector<float>& h_values, int num_rows, int num_cols);

}  // namespace lab_judge
