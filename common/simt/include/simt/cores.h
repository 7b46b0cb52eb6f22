// SPDX-License-Identifier: MIT
// How many cores a long launch may use, if its blocks are independent and all is checked. Results
// and findings do not depend on it.
#pragma once

#include <cstdint>

namespace simt {

// At first: 1.
void set_cores(int num_cores);

// For tests: the rest of a launch may be divided once its first blocks have taken first_seconds, if
// it would take least_seconds; nothing is known of any kernel. And how many launches have been.
void set_division(double first_seconds, double least_seconds);
std::uint64_t num_divided_launches();

}  // namespace simt
