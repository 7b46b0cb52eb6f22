// SPDX-License-Identifier: MIT
// Checks results of gigabytes in device memory. All pointers are to device memory (cpu backend: to
// shared host memory).
#pragma once

#include <cstdint>
#include <vector>

#include "reference.h"

namespace lab_judge {

// How many points of d_out are not what `num_steps` steps, 1 or 2, make of d_in.
std::uint64_t count_wrong(const Shape& shape, const std::vector<Term>& terms, int num_steps,
                          const float* d_in, const float* d_out);

}  // namespace lab_judge
