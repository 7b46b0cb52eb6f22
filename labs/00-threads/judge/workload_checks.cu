// SPDX-License-Identifier: MIT
#include "fixture/device_loop.cuh"
#include "workload_checks.h"

namespace lab_judge {
namespace {

struct WrongSum {
  const float* d_a;
  const float* d_b;
  const float* d_sum;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    return d_sum[i] == d_a[i] + d_b[i] ? 0 : 1;
  }
};

struct WrongProduct {
  const float* d_in;
  float factor;
  const float* d_out;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    return d_out[i] == factor * d_in[i] ? 0 : 1;
  }
};

}  // namespace

std::size_t count_wrong_sums(const float* d_a, const float* d_b, const float* d_sum,
                             std::size_t count) {
  return judge::sum_over(count, WrongSum{d_a, d_b, d_sum});
}

std::size_t count_wrong_products(const float* d_in, float factor, const float* d_out,
                                 std::size_t count) {
  return judge::sum_over(count, WrongProduct{d_in, factor, d_out});
}

}  // namespace lab_judge
