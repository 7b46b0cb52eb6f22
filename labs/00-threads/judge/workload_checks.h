// SPDX-License-Identifier: MIT
// Checks the results of measured calls in device memory: copying gigabytes would take seconds.
#pragma once

#include <cstddef>

namespace lab_judge {

// How many items of d_sum are not d_a + d_b. All three (count), device memory.
std::size_t count_wrong_sums(const float* d_a, const float* d_b, const float* d_sum,
                             std::size_t count);

// How many items of d_out are not factor * d_in. Both (count), device memory.
std::size_t count_wrong_products(const float* d_in, float factor, const float* d_out,
                                 std::size_t count);

}  // namespace lab_judge
