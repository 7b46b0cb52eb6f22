// SPDX-License-Identifier: MIT
#include "measure/launches_check.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace judge {
namespace {

constexpr std::size_t kMostNamed = 4;  // kernels in a message

// How often each call launches it.
struct Launches {
  std::string kernel;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

void add(std::vector<Launches>& sum, const std::vector<wire::KernelCounters>& kernels,
         std::uint64_t Launches::*call) {
  for (const wire::KernelCounters& kernel : kernels) {
    const std::uint64_t launches = wire::value_of(kernel.counters, "launches");
    if (launches == 0) continue;  // copies
    const std::string name = kernel.name.substr(0, kernel.name.find('<'));
    auto known = std::ranges::find(sum, name, &Launches::kernel);
    if (known == sum.end()) known = sum.insert(sum.end(), {.kernel = name});
    (*known).*call += launches;
  }
}

// Their sizes: a rung may also use another algorithm in the second of two equal calls.
std::string both_calls(double first_items, double second_items) {
  const auto items = [](double num_items) {
    return "with " + std::to_string(static_cast<std::uint64_t>(num_items)) + " items";
  };
  if (first_items == second_items) return "two calls " + items(first_items);
  return "one call " + items(first_items) + " and one " + items(second_items);
}

}  // namespace

std::optional<Failure> find_other_launches(const CountedCall& first, const CountedCall& second) {
  std::vector<Launches> all;
  add(all, first.kernels, &Launches::first);
  add(all, second.kernels, &Launches::second);
  std::string differences;
  std::size_t num_named = 0;
  for (const auto& [kernel, in_first, in_second] : all) {
    if (in_first == in_second || ++num_named > kMostNamed) continue;
    differences += (differences.empty() ? "" : ", ") + kernel + " " + std::to_string(in_first) +
                   " and " + std::to_string(in_second) + " times";
  }
  if (num_named == 0) return std::nullopt;
  if (num_named > kMostNamed) {
    differences += ", and " + std::to_string(num_named - kMostNamed) + " more";
  }
  return Failure{
      kind::kBudget,
      "the judge counts " + both_calls(first.num_items, second.num_items) +
          ", and they launch different kernels: " + differences +
          ". Use one algorithm for both: launch the same kernels, each the same number of times"};
}

}  // namespace judge
