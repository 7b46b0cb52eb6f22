// SPDX-License-Identifier: MIT
// Measures what checking and counting cost, as JSON on stdout. The same kernels run plain, checked,
// and checked and counted, in turns. Each time is the shortest of several.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "cost_kernels.h"
#include "simt/counters.h"
#include "simt/finding.h"

namespace {

// Of processor time: other programs on the machine do not count.
template <class Run>
double elapsed_ms(Run run) {
  const auto now_ms = [] {
    timespec now = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  };
  const double start = now_ms();
  run();
  return now_ms() - start;
}

// launches: so many are timed together, because processor time comes in ticks.
void report(const char* name, Kernel kernel, int launches, const float* d_in, float* d_out) {
  constexpr int kRounds = 5;
  static bool is_first = true;
  double plain = 1e30;
  double checked = 1e30;
  double counted = 1e30;
  const auto time_ms = [&](auto run) {
    return elapsed_ms([&] {
             for (int i = 0; i < launches; ++i) run(kernel, d_in, d_out);
           }) /
           launches;
  };
  for (int round = 0; round < kRounds; ++round) {
    plain = std::min(plain, time_ms(run_plain));
    checked = std::min(checked, time_ms(run_instrumented));
    simt::set_counting(true);
    counted = std::min(counted, time_ms(run_instrumented));
    simt::set_counting(false);
    simt::take_counters();
  }
  std::printf(
      "%s\n  {\"kernel\": \"%s\", \"plain_ms\": %.3f, \"checked_ms\": %.3f, \"counted_ms\": %.3f, "
      "\"checked_over_plain\": %.2f, \"counted_over_plain\": %.2f, \"counted_over_checked\": "
      "%.2f}",
      is_first ? "" : ",", name, plain, checked, counted, checked / plain, counted / plain,
      counted / checked);
  is_first = false;
}

}  // namespace

int main() {
  float* d_in = nullptr;
  float* d_out = nullptr;
  cudaMalloc(&d_in, kCostItems * sizeof(float));
  cudaMalloc(&d_out, kCostItems * sizeof(float));
  cudaMemset(d_in, 0, kCostItems * sizeof(float));
  std::printf("[");
  report("stream", Kernel::kStream, 25, d_in, d_out);
  report("reduce", Kernel::kReduce, 1, d_in, d_out);
  report("matmul", Kernel::kMatmul, 2, d_in, d_out);
  std::printf("\n]\n");
  return simt::take_findings().empty() ? 0 : 1;
}
