// SPDX-License-Identifier: MIT
#include "measure/counters_check.h"

#include <algorithm>
#include <string>

#include "fixture/host_work.h"
#include "measure/measures.h"

namespace judge {
namespace {

constexpr double kHostShare = 0.25;  // of the bytes needed: counts and tables

}  // namespace

std::optional<Failure> find_work_of_host(const std::vector<wire::KernelCounters>& kernels,
                                         double bytes_needed) {
  auto failure = find_idle_kernels(kernels, bytes_needed);
  if (!failure) failure = find_host_work(kernels, bytes_needed, kHostShare);
  if (failure) failure->message = "the result is right, but " + failure->message;
  return failure;
}

}  // namespace judge
