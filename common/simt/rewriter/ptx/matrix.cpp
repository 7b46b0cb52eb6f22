// SPDX-License-Identifier: MIT
// The tensor cores' instructions: mma.sync and ldmatrix.
#include <algorithm>
#include <array>

#include "ptx/statement.h"

namespace simt::rewriter::ptx {
namespace {

// What a device multiplies: the type of both factors, m and k. n is 8.
struct Shape {
  std::string_view factor;
  std::string_view shape;
  int m;
  int k;
};

constexpr std::array<Shape, 16> kShapes = {{
    {"f16", "m16n8k8", 16, 8},
    {"f16", "m16n8k16", 16, 16},
    {"bf16", "m16n8k8", 16, 8},
    {"bf16", "m16n8k16", 16, 16},
    {"tf32", "m16n8k4", 16, 4},
    {"tf32", "m16n8k8", 16, 8},
    {"f64", "m8n8k4", 8, 4},
    {"f64", "m16n8k4", 16, 4},
    {"f64", "m16n8k8", 16, 8},
    {"f64", "m16n8k16", 16, 16},
    {"s8", "m8n8k16", 8, 16},
    {"s8", "m16n8k16", 16, 16},
    {"s8", "m16n8k32", 16, 32},
    {"u8", "m8n8k16", 8, 16},
    {"u8", "m16n8k16", 16, 16},
    {"u8", "m16n8k32", 16, 32},
}};

bool is_byte(std::string_view type) { return type == "s8" || type == "u8"; }

// The types of sums for those factors.
bool is_sum(std::string_view factor, std::string_view sum) {
  if (factor == "f16") return sum == "f16" || sum == "f32";
  if (factor == "f64") return sum == "f64";
  return sum == (is_byte(factor) ? "s32" : "f32");
}

std::string factor_type(const std::string& suffix) {
  return suffix == "tf32" ? "::simt::ptx::Tf32" : type_of(suffix);
}

// Registers that hold `elements` elements of a type, in all 32 lanes together.
std::size_t registers_for(int elements, std::string_view type) {
  const int per_register = is_byte(type) ? 4 : type == "f16" || type == "bf16" ? 2 : 1;
  return static_cast<std::size_t>(elements / 32 / per_register);
}

}  // namespace

// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d...}, {a...}, {b...}, {c...};
std::string multiply_matrices(const Instruction& one) {
  const Words words(one.name);
  if (one.name.size() < 10 || one.operands.size() != 4) return "";
  const std::string* const types = &one.name[one.name.size() - 4];  // of d, a, b and c
  const auto shape = std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& known) {
    return known.factor == types[1] && words.has(known.shape);
  });
  const bool is_known = shape != kShapes.end() && words.has("row") && words.has("col") &&
                        (types[1] == types[2] || (is_byte(types[1]) && is_byte(types[2]))) &&
                        is_sum(types[1], types[0]) && is_sum(types[1], types[3]);
  const std::size_t num_words = words.has("satfinite") ? 11 : 10;
  if (!is_known || one.name.size() != num_words) return "";
  const std::array<Strings, 4> parts = {elements(one.operands[0]), elements(one.operands[1]),
                                        elements(one.operands[2]), elements(one.operands[3])};
  const std::array<int, 4> sizes = {shape->m * 8, shape->m * shape->k, shape->k * 8, shape->m * 8};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].size() != registers_for(sizes[i], types[i])) return "";
  }
  std::string made =
      "{ ::simt::ptx::MatrixProduct<" + std::to_string(shape->m) + ", " + std::to_string(shape->k);
  for (std::size_t i = 0; i < parts.size(); ++i) made.append(", ").append(factor_type(types[i]));
  made += "> simt_product; ";
  constexpr std::array<std::string_view, 4> kNames = {"d", "a", "b", "c"};
  const auto place = [&](std::size_t part, std::size_t i) {
    return "simt_product." + std::string(kNames[part]) + "[" + std::to_string(i) + "]";
  };
  for (std::size_t part = 1; part < parts.size(); ++part) {
    const std::string type = types[part] == "f64"   ? "double"
                             : types[part] == "f32" ? "float"
                                                    : "unsigned";
    for (std::size_t i = 0; i < parts[part].size(); ++i) {
      made.append(place(part, i)).append(".set<").append(type).append(">(");
      made.append(value(parts[part][i], type)).append("); ");
    }
  }
  if (words.has("satfinite")) made += "simt_product.is_limited = true; ";
  made += "simt_product.multiply(); ";
  for (std::size_t i = 0; i < parts[0].size(); ++i) {
    if (parts[0][i] == "_") continue;
    made.append(register_name(parts[0][i])).append(" = ").append(place(0, i)).append("; ");
  }
  return made + "}";
}

// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r...}, [address];
std::string load_matrices(const Instruction& one) {
  const Words words(one.name);
  if (one.operands.size() != 2 || !words.has("m8n8") || !words.has("b16")) return "";
  const Strings to = elements(one.operands[0]);
  const std::string count = words.one_of({"x1", "x2", "x4"});
  if (count.empty() || to.size() != static_cast<std::size_t>(count[1] - '0')) return "";
  const std::string row = address(one.operands[1], words, "const unsigned char");
  if (row.empty()) return "";
  std::string made = "{ const auto simt_row = " + row + "; ";
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::string taken = call(
        "load_matrix", "", {std::to_string(i), "simt_row", words.has("trans") ? "true" : "false"});
    made.append("const unsigned simt_matrix").append(std::to_string(i)).append(" = ");
    made.append(taken).append("; ");
  }
  for (std::size_t i = 0; i < to.size(); ++i) {  // the address may be in one of the registers
    made.append(set(to[i], "unsigned", "simt_matrix" + std::to_string(i))).append(" ");
  }
  return made + "}";
}

}  // namespace simt::rewriter::ptx
