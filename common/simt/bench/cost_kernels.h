// SPDX-License-Identifier: MIT
#pragma once

inline constexpr int kCostItems = 1 << 20;  // of d_in; d_out has as many

enum class Kernel { kStream, kReduce, kMatmul };

// Launches the kernel, built without and with instrumentation.
void run_plain(Kernel kernel, const float* d_in, float* d_out);
void run_instrumented(Kernel kernel, const float* d_in, float* d_out);
