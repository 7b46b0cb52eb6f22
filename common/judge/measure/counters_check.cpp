// SPDX-License-Identifier: MIT
#include "measure/counters_check.h"

#include <algorithm>
#include <string>

#include "fixture/host_work.h"
#include "measure/measures.h"

namespace judge {
namespace {

constexpr double kHostShare = 0.25;  // of the bytes needed: counts and tables

// Only counters with a place in the source have lines; maxima do not add up.
bool adds_up(const std::string& name) {
  return !wire::is_maximum(name) && name != "launches" && name != "blocks" && name != "warps" &&
         name != "threads" && name != "busiest_blocks_sectors" && name != "busiest_warps_passes";
}

// The first counter that is not the sum over its lines.
std::optional<std::string> find_mismatch(const wire::KernelCounters& kernel) {
  wire::Counters sums;
  for (const wire::LineCounters& line : kernel.lines) {
    for (const auto& [name, value] : line.counters) sums[name] += value;
  }
  for (const auto& [name, value] : kernel.counters) {
    if (adds_up(name) && sums[name] != value) return name;
  }
  for (const auto& [name, sum] : sums) {
    if (adds_up(name) && wire::value_of(kernel.counters, name) != sum) return name;
  }
  return std::nullopt;
}

std::string whole(double number) { return std::to_string(static_cast<std::uint64_t>(number)); }

}  // namespace

std::optional<Failure> find_impossible(const std::vector<wire::KernelCounters>& kernels,
                                       double bytes_needed) {
  for (const wire::KernelCounters& kernel : kernels) {
    if (const auto name = find_mismatch(kernel)) {
      return Failure{kind::kForbidden, "the counter " + *name + " of " + kernel.name +
                                           " is not the sum over its lines: "
                                           "something other than the device wrote to the counters"};
    }
  }
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
