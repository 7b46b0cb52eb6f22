// SPDX-License-Identifier: MIT
#include "ptx/operands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace simt::rewriter::ptx {
namespace {

std::string number(const std::string& text, const std::string& type) {
  const std::string& t = text;
  if (t.size() == 10 && (t.compare(0, 2, "0f") == 0 || t.compare(0, 2, "0F") == 0)) {
    return "static_cast<" + type + ">(__builtin_bit_cast(float, 0x" + t.substr(2) + "u))";
  }
  if (t.size() == 18 && (t.compare(0, 2, "0d") == 0 || t.compare(0, 2, "0D") == 0)) {
    return "static_cast<" + type + ">(__builtin_bit_cast(double, 0x" + t.substr(2) + "ull))";
  }
  std::string plain = t;
  if (!plain.empty() && (plain.back() == 'U' || plain.back() == 'u')) plain.pop_back();
  const bool is_integer = plain.find('.') == std::string::npos;
  return "static_cast<" + type + ">(" + plain + (is_integer ? "ll" : "") + ")";
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 36> kSpecialRegisters = {{
    {"laneid", "simt::lane_id()"},
    {"warpid", "simt::ptx::warp_id()"},
    {"nwarpid", "64"},
    {"smid", "simt::ptx::multiprocessor_id()"},
    {"nsmid", "simt::kNumMultiprocessors"},
    {"gridid", "0"},
    {"tid.x", "threadIdx.x"},
    {"tid.y", "threadIdx.y"},
    {"tid.z", "threadIdx.z"},
    {"ntid.x", "blockDim.x"},
    {"ntid.y", "blockDim.y"},
    {"ntid.z", "blockDim.z"},
    {"ctaid.x", "blockIdx.x"},
    {"ctaid.y", "blockIdx.y"},
    {"ctaid.z", "blockIdx.z"},
    {"nctaid.x", "gridDim.x"},
    {"nctaid.y", "gridDim.y"},
    {"nctaid.z", "gridDim.z"},
    {"lanemask_eq", "(1u << simt::lane_id())"},
    {"lanemask_lt", "((1u << simt::lane_id()) - 1)"},
    {"lanemask_le", "((2u << simt::lane_id()) - 1)"},
    {"lanemask_gt", "(0u - (2u << simt::lane_id()))"},
    {"lanemask_ge", "(0u - (1u << simt::lane_id()))"},
    {"clock", "clock64()"},
    {"clock_hi", "(clock64() >> 32)"},
    {"clock64", "clock64()"},
    {"globaltimer", "simt::global_timer()"},
    {"globaltimer_lo", "simt::global_timer()"},
    {"globaltimer_hi", "(simt::global_timer() >> 32)"},
    {"WARP_SZ", "simt::kWarpSize"},
    {"cluster_ctaid.x", "0"},
    {"cluster_ctaid.y", "0"},
    {"cluster_ctaid.z", "0"},
    {"cluster_ctarank", "0"},
    {"cluster_nctarank", "1"},
    {"is_explicit_cluster", "0"},
}};

std::string special_register(std::string_view name) {
  if (!name.empty() && name.front() == '%') name.remove_prefix(1);
  for (const auto& [special, meaning] : kSpecialRegisters) {
    if (special == name) return std::string(meaning);
  }
  return "";
}

}  // namespace

std::string trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> cut(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : separator;
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (i < text.size() && (c != separator || depth > 0)) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

std::string type_of(std::string_view suffix) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kTypes = {{
      {"u8", "unsigned char"},
      {"s8", "signed char"},
      {"b8", "unsigned char"},
      {"u16", "unsigned short"},
      {"s16", "short"},
      {"b16", "unsigned short"},
      {"u32", "unsigned"},
      {"s32", "int"},
      {"b32", "unsigned"},
      {"u64", "unsigned long long"},
      {"s64", "long long"},
      {"b64", "unsigned long long"},
      {"f32", "float"},
      {"f64", "double"},
      {"f16", "::simt::ptx::Half"},
      {"f16x2", "::simt::ptx::Half2"},
      {"bf16", "::simt::ptx::Bfloat"},
      {"bf16x2", "::simt::ptx::Bfloat2"},
      {"pred", "bool"},
  }};
  for (const auto& [name, type] : kTypes) {
    if (name == suffix) return std::string(type);
  }
  return "";
}

std::string register_name(const std::string& operand) {
  std::string name = operand;
  if (!name.empty() && name.front() == '%') name.erase(0, 1);
  const bool is_operand = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return (is_operand ? "simt_ptx" : "simt_reg_") + name;
}

bool is_special_register(std::string_view name) { return !special_register(name).empty(); }

std::vector<std::string> names_in(std::string_view operand) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
           c == '.';  // of %tid.x, or of a number
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < operand.size(); ++i) {
    if (!is_part(operand[i])) continue;
    const std::size_t begin = i;
    while (i < operand.size() && is_part(operand[i])) ++i;
    const std::string_view name = operand.substr(begin, i - begin);
    const bool is_number = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
    if (!is_number && name != "_") names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> elements(const std::string& operand) {
  if (operand.empty() || operand.front() != '{') return {operand};
  return cut(std::string_view(operand).substr(1, operand.size() - 2), ',');
}

std::string value(const std::string& operand, const std::string& type) {
  if (operand.empty()) return "";
  if (operand.front() == '!') return "!" + value(operand.substr(1), type);
  if (const std::string special = special_register(operand); !special.empty()) {
    return "static_cast<" + type + ">(" + (special.find("simt::") == 0 ? "::" : "") + special + ")";
  }
  const char first = operand.front();
  if (first == '-' || std::isdigit(static_cast<unsigned char>(first)) != 0) {
    return number(operand, type);
  }
  return register_name(operand) + ".get<" + type + ">()";
}

}  // namespace simt::rewriter::ptx
