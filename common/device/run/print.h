// SPDX-License-Identifier: MIT
// printf in kernels.
#pragma once

#include <cstdint>
#include <string>

#include "run/engine.h"

namespace run {

// The text of one call by one lane. The format is the student's: each conversion is taken apart and
// only what it can mean reaches the C library. `num_arguments` is what CUDA's printf returns.
std::string formatted(const Warp& warp, int lane, const std::string& format,
                      std::uint64_t arguments, int& num_arguments);

}  // namespace run
