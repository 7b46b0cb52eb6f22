// SPDX-License-Identifier: MIT
#include "measure/counters_check.h"

#include <algorithm>
#include <string>

#include "fixture/host_work.h"
#include "measure/measures.h"

namespace judge {
namespace {

constexpr double kHostShare = 0.25;  // of the bytes needed: counts and tables

std::string whole(double number) { return std::to_string(static_cast<std::uint64_t>(number)); }

}  // namespace

std::optional<Failure> find_impossible(const std::vector<wire::KernelCounters>& kernels,
                                       double bytes_needed) {
  if (auto failure = find_work_of_host(kernels, bytes_needed)) return failure;
  if (variable_bytes(kernels) > kHostShare * bytes_needed) {
    return Failure{kind::kBudget,
                   "kernels write " + whole(variable_bytes(kernels)) + " bytes of " +
                       whole(bytes_needed) +
                       " to __device__ variables: what is larger than a table belongs into the "
                       "scratch memory"};
  }
  return std::nullopt;
}

std::optional<Failure> find_work_of_host(const std::vector<wire::KernelCounters>& kernels,
                                         double bytes_needed) {
  auto failure = find_idle_kernels(kernels, bytes_needed);
  if (!failure) failure = find_host_work(kernels, bytes_needed, kHostShare);
  if (failure) failure->message = "the result is right, but " + failure->message;
  return failure;
}

}  // namespace judge
