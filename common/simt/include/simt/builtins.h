// SPDX-License-Identifier: MIT
// CUDA's built-in variables. Plain variables, set by the scheduler before a thread runs on:
// programs may shadow them with locals of the same name and pass them to printf.
#pragma once

#include "simt/limits.h"
#include "simt/vector_types.h"

extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;

inline constexpr int warpSize = simt::kWarpSize;
