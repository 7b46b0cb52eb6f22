// SPDX-License-Identifier: MIT
// What checking and counting cost, as JSON on stdout: the same kernels run plain, checked, and
// checked and counted, in turns; the times are the least of several.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cost_kernels.h"
#include "simt/counters.h"
#include "simt/finding.h"

namespace {

template <class Run>
double elapsed_ms(Run run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  run();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void report(const char* name, Kernel kernel, const float* d_in, float* d_out) {
  constexpr int kRounds = 7;
  double plain = 1e30;
  double checked = 1e30;
  double counted = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    plain = std::min(plain, elapsed_ms([&] { run_plain(kernel, d_in, d_out); }));
    checked = std::min(checked, elapsed_ms([&] { run_instrumented(kernel, d_in, d_out); }));
    simt::set_counting(true);
    counted = std::min(counted, elapsed_ms([&] { run_instrumented(kernel, d_in, d_out); }));
    simt::set_counting(false);
    simt::take_counters();
  }
  std::printf(
      "{\"kernel\": \"%s\", \"plain_ms\": %.3f, \"checked_ms\": %.3f, \"counted_ms\": %.3f, "
      "\"checked_over_plain\": %.2f, \"counted_over_plain\": %.2f, \"counted_over_checked\": "
      "%.2f}\n",
      name, plain, checked, counted, checked / plain, counted / plain, counted / checked);
}

}  // namespace

int main() {
  float* d_in = nullptr;
  float* d_out = nullptr;
  cudaMalloc(&d_in, kCostItems * sizeof(float));
  cudaMalloc(&d_out, kCostItems * sizeof(float));
  cudaMemset(d_in, 0, kCostItems * sizeof(float));
  report("stream", Kernel::kStream, d_in, d_out);
  report("reduce", Kernel::kReduce, d_in, d_out);
  report("matmul", Kernel::kMatmul, d_in, d_out);
  return simt::take_findings().empty() ? 0 : 1;
}
