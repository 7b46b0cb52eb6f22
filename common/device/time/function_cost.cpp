// SPDX-License-Identifier: MIT
// Instructions of the usual path in the PTX that nvcc 13.0 makes of a call: no large arguments, no
// subnormal numbers.
#include "time/function_cost.h"

#include <algorithm>
#include <array>

namespace timing {
namespace {

struct Known {
  std::string_view name;
  std::uint32_t of_float, of_double;
};

constexpr auto kKnown = std::to_array<Known>({
    {"acos", 29, 70},  {"acosh", 44, 97},     {"asin", 26, 58},     {"asinh", 43, 99},
    {"atan", 21, 37},  {"atan2", 43, 51},     {"atanh", 38, 83},    {"cbrt", 16, 41},
    {"cos", 25, 45},   {"cosh", 16, 34},      {"erf", 27, 55},      {"erfc", 51, 96},
    {"exp", 10, 36},   {"exp10", 10, 41},     {"exp2", 3, 40},      {"expm1", 29, 45},
    {"fmod", 20, 60},  {"hypot", 17, 25},     {"lgamma", 100, 150}, {"log", 28, 54},
    {"log10", 29, 56}, {"log1p", 29, 77},     {"log2", 30, 56},     {"normcdf", 70, 121},
    {"pow", 80, 150},  {"remainder", 25, 60}, {"sin", 25, 45},      {"sinh", 25, 54},
    {"tan", 30, 60},   {"tanh", 17, 54},      {"tgamma", 90, 200},
});

std::uint32_t slots_of(std::string_view name, std::uint32_t Known::*slots) {
  const auto known = std::ranges::find(kKnown, name, &Known::name);
  return known == kKnown.end() ? 0 : (*known).*slots;
}

}  // namespace

FunctionCost cost_of_function(std::string_view name) {
  if (const std::uint32_t slots = slots_of(name, &Known::of_double); slots != 0) {
    return {slots, true};
  }
  if (!name.ends_with('f')) return {};
  return {slots_of(name.substr(0, name.size() - 1), &Known::of_float), false};
}

}  // namespace timing
