// SPDX-License-Identifier: MIT
// Slots and latencies for compute capability 9.0. The slots are those of the SASS that ptxas 13.0
// makes. The latencies are rounded and were not measured here: no number has a source of its own.
// Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture" (2024), measure
// some of them. docs/time.md shows how far off the times are that follow from them.
#include "time/instruction_cost.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace timing {
namespace {

using code::Instruction;

Cost cost_of_memory(const Instruction& at, std::string_view opcode) {
  if (at.has("param")) {
    // A parameter of 32 bits is an operand of the instruction that takes it.
    const bool is_operand = opcode != "ld" || has_any(at, {"b32", "u32", "s32", "f32"});
    return is_operand ? kFree : Cost{Pipe::kAdu, 1, {20, 0}};
  }
  // The first cache holds a thread's arrays.
  if (at.has("local")) return {Pipe::kMemory, 1, {opcode == "ld" ? 33 : 0, 0}};
  if (opcode == "ld" || opcode == "ldu") {
    return {Pipe::kMemory, 1, is_shared(at) ? Path{30, 0} : Path{0, 1}};
  }
  if (opcode == "atom") return {Pipe::kMemory, 1, is_shared(at) ? Path{60, 0} : Path{0, 1}};
  return {Pipe::kMemory, 1, {0, 0}};
}

Cost cost_of_special(const Instruction& at, std::string_view opcode) {
  if (at.has("f64")) return {Pipe::kFp64, 20, {200, 0}};
  if (opcode == "div") {
    return at.has("rn") ? Cost{Pipe::kFp32, 9, {60, 0}} : Cost{Pipe::kFp32, 3, {40, 0}};
  }
  return {Pipe::kSpecial, 1, {at.has("approx") ? 18 : 50, 0}};
}

Cost cost_of_integer(const Instruction& at, std::string_view opcode, bool has_only_low_word) {
  const bool is_wide = !has_only_low_word && has_any(at, {"b64", "u64", "s64"});
  if (is_one_of(opcode, {"div", "rem"})) {
    return {Pipe::kInteger, is_wide ? 70U : 18U, {is_wide ? 300 : 100, 0}};
  }
  if (is_one_of(opcode, {"mul", "mad"})) {
    const bool is_long = is_wide && !at.has("wide");
    return {Pipe::kInteger, is_long ? 4U : 1U, {is_long ? 14 : 5, 0}};
  }
  if (takes_half(at)) return kFree;
  // Sums and products may be done by the unit of fp32, too.
  const bool is_sum = is_one_of(opcode, {"add", "sub", "neg", "shl"});
  return {is_sum ? Pipe::kInteger : Pipe::kAlu, is_wide ? 2U : 1U, {is_wide ? 6 : 4, 0}};
}

// Functions of mathematics. A device has them as instructions of the program; here they are calls,
// which the machine answers. Instructions of the usual path in the PTX that nvcc 13.0 makes of a
// call: no large arguments, no subnormal numbers.
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

struct FunctionCost {
  std::uint32_t slots = 0;  // 0: the function is none of these
  bool is_double = false;
};

FunctionCost cost_of_function(std::string_view name) {
  if (const std::uint32_t slots = slots_of(name, &Known::of_double); slots != 0) {
    return {slots, true};
  }
  if (!name.ends_with('f')) return {};
  return {slots_of(name.substr(0, name.size() - 1), &Known::of_float), false};
}

// About every second of its instructions needs the one before.
Cost cost_of_call(const Instruction& at) {
  for (const code::Operand& operand : at.operands) {
    const FunctionCost function = cost_of_function(operand.symbol);
    if (function.slots == 0) continue;
    const std::int64_t cycles = std::int64_t{function.slots} * (function.is_double ? 4 : 2);
    return {function.is_double ? Pipe::kFp64 : Pipe::kFp32, function.slots, {cycles, 0}, true};
  }
  return {Pipe::kOther, 1, {10, 0}, true};
}

bool is_float_of_8_bits(const Instruction& at) { return has_any(at, {"e4m3", "e5m2"}); }

// Of "m16n8k16".
std::uint64_t multiply_adds_of(const Instruction& at) {
  for (const std::string_view word : at.words) {
    if (word.size() < 6 || word.front() != 'm' || word.find('k') == std::string_view::npos)
      continue;
    std::uint64_t product = 1, factor = 0;
    for (const char c : word.substr(1)) {
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit) product *= std::exchange(factor, 0);
      if (is_digit) factor = factor * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return product * factor;
  }
  return 0;
}

// A scheduler has one of a multiprocessor's four tensor cores.
Cost cost_of_product(const Instruction& at, std::uint32_t slots, std::int64_t cycles) {
  const std::uint64_t products = in_products_of_16_bits(at, multiply_adds_of(at));
  const std::uint64_t busy = (products * 4 + kProductsPerCycle / 2) / kProductsPerCycle;
  return {Pipe::kOther, slots, {cycles, 0}, false, static_cast<std::uint32_t>(busy)};
}

}  // namespace

// Of floats of 8 bits, only wgmma is an instruction of compute capability 9.0: for mma, ptxas
// converts them.
std::uint64_t in_products_of_16_bits(const Instruction& at, std::uint64_t multiply_adds) {
  if (at.has("tf32")) return 2 * multiply_adds;
  const bool has_8_bits =
      is_float_of_8_bits(at) ? opcode_of(at) == "wgmma" : at.has("s8") || at.has("u8");
  return has_8_bits ? multiply_adds / 2 : multiply_adds;
}

bool takes_half(const Instruction& at) {
  return opcode_of(at) == "shr" && has_any(at, {"b64", "u64", "s64"}) &&
         at.operands.back().is_immediate && at.operands.back().bits == 32;
}

Cost cost_of(const Instruction& at, bool has_only_low_word) {
  if (at.words.empty()) return kFree;
  const std::string_view opcode = at.words.front();
  if (opcode.starts_with('%')) return kFree;  // a block's marker
  if (is_one_of(opcode, {"mov", "cvta", "activemask"})) return kFree;
  if (is_one_of(opcode, {"ld", "ldu", "st", "atom", "red"})) return cost_of_memory(at, opcode);
  if (is_one_of(opcode, {"cp", "stmatrix", "mbarrier"})) return {Pipe::kMemory, 1, {0, 0}};
  if (opcode == "ldmatrix") return {Pipe::kMemory, 1, {33, 0}};
  if (is_one_of(opcode, {"tex", "tld4", "suld"})) return {Pipe::kMemory, 1, {0, 1}};
  if (opcode == "wgmma") return {Pipe::kOther, 1, {0, 0}};
  // Of floats of 8 bits: two products of 16 bits, and three conversions, as in the SASS of 08/06.
  if (opcode == "mma" && is_float_of_8_bits(at)) return cost_of_product(at, 5, 66);
  if (opcode == "mma") return cost_of_product(at, 1, 33);
  if (opcode == "wmma") {
    if (at.has("load")) return {Pipe::kMemory, 4, is_shared(at) ? Path{33, 0} : Path{0, 1}};
    if (at.has("store")) return {Pipe::kMemory, 8, {0, 0}};
    return cost_of_product(at, 2, 33);
  }
  if (opcode == "shfl") return {Pipe::kExchange, 1, {23, 0}};
  if (opcode == "redux") return {Pipe::kExchange, 2, {23, 0}};
  if (opcode == "match") return {Pipe::kAdu, 2, {180, 0}};
  if (opcode == "vote") return {Pipe::kAlu, 1, {12, 0}};
  if (opcode == "bar" && at.has("warp")) return {Pipe::kOther, 1, {0, 0}};
  if (is_one_of(opcode, {"bar", "barrier"})) return {Pipe::kAdu, 1, {13, 0}, true};
  if (is_one_of(opcode, {"membar", "fence"})) return {Pipe::kOther, 1, {0, 1}, true};
  if (opcode == "call") return cost_of_call(at);
  if (is_one_of(opcode, {"bra", "brx", "ret", "exit"})) {
    return {Pipe::kOther, 1, {10, 0}, true};
  }
  const bool is_float = has_any(at, {"f32", "f16", "f16x2", "bf16", "bf16x2"});
  const bool is_double = at.has("f64");
  if (is_one_of(opcode, {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"}) ||
      (opcode == "div" && (is_float || is_double))) {
    return cost_of_special(at, opcode);
  }
  if (is_one_of(opcode, {"popc", "clz", "brev", "bfind"})) return {Pipe::kSpecial, 1, {14, 0}};
  if (opcode == "cvt") {
    if (is_double) return {Pipe::kSpecial, 2, {20, 0}};
    if (!is_float) return kFree;
    const bool is_narrowed = has_any(at, {"bf16", "bf16x2", "f16", "f16x2"}) && at.has("f32");
    return is_narrowed ? Cost{Pipe::kAlu, 1, {5, 0}} : Cost{Pipe::kSpecial, 1, {12, 0}};
  }
  if (is_double) return {Pipe::kFp64, 1, {8, 0}};
  if (is_float && !is_one_of(opcode, {"setp", "set", "selp", "slct", "min", "max"})) {
    return {Pipe::kFp32, 1, {4, 0}};
  }
  if (at.has("pred") && opcode != "setp") return kFree;  // part of the comparison
  return cost_of_integer(at, opcode, has_only_low_word);
}

}  // namespace timing
