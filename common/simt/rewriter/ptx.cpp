// SPDX-License-Identifier: MIT
#include "ptx.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace simt::rewriter::ptx {
namespace {

std::string without_comments(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      i = text.find('\n', i);
      if (i == std::string::npos) break;
    } else if (text.compare(i, 2, "/*") == 0) {
      i = text.find("*/", i);
      if (i == std::string::npos) break;
      ++i;
      result += ' ';
      continue;
    }
    result += text[i];
  }
  return result;
}

std::string trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// Cuts at the separator, but not inside brackets.
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

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

// ".global.u32" -> {"global", "u32"}; "::" belongs to a part.
std::vector<std::string> name_parts(std::string_view name) {
  std::vector<std::string> parts;
  for (const std::string& part : cut(name, '.')) parts.push_back(part);
  return parts;
}

Instruction parse_one(std::string_view text) {
  Instruction result;
  std::string rest = trimmed(text);
  const std::size_t colon = rest.find(':');
  const bool is_label =
      colon != std::string::npos && colon > 0 && rest.compare(colon, 2, "::") != 0 &&
      std::all_of(rest.begin(), rest.begin() + static_cast<long>(colon), is_name_part);
  if (is_label) {
    result.label = rest.substr(0, colon);
    rest = trimmed(rest.substr(colon + 1));
  }
  if (!rest.empty() && rest.front() == '@') {
    std::size_t end = 1;
    result.is_negated = rest.size() > 1 && rest[1] == '!';
    if (result.is_negated) ++end;
    const std::size_t begin = end;
    while (end < rest.size() && is_name_part(rest[end])) ++end;
    result.predicate = rest.substr(begin, end - begin);
    rest = trimmed(rest.substr(end));
  }
  std::size_t end = 0;
  while (end < rest.size() && std::isspace(static_cast<unsigned char>(rest[end])) == 0) ++end;
  if (end == 0) return result;
  result.name = name_parts(std::string_view(rest).substr(0, end));
  const std::string operands = trimmed(rest.substr(end));
  if (!operands.empty()) result.operands = cut(operands, ',');
  return result;
}

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

// .reg .u32 a, b<4>;
std::vector<std::string> declared(const Instruction& instruction) {
  std::vector<std::string> names;
  for (std::string operand : instruction.operands) {
    // The type stands before the first name, and is written like a name of its own.
    while (!operand.empty() && operand.front() == '.') {
      const std::size_t blank = operand.find_first_of(" \t\n");
      operand = blank == std::string::npos ? "" : trimmed(operand.substr(blank));
    }
    const std::size_t angle = operand.find('<');
    if (angle == std::string::npos) {
      if (!operand.empty()) names.push_back(operand);
      continue;
    }
    const int count = std::min(1000, std::atoi(operand.c_str() + angle + 1));
    for (int i = 0; i < count; ++i) names.push_back(operand.substr(0, angle) + std::to_string(i));
  }
  return names;
}

std::string quoted(const std::vector<std::string>& name) {
  std::string whole;
  for (const std::string& part : name) whole += (whole.empty() ? "" : ".") + part;
  std::string result = "\"";
  for (const char c : whole) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string label_name(const std::string& label) { return "simt_label_" + register_name(label); }

}  // namespace

std::vector<Instruction> parse(const std::string& text, bool has_operands) {
  std::string clean = without_comments(text);
  if (has_operands) {
    for (std::size_t at = clean.find("%%"); at != std::string::npos;
         at = clean.find("%%", at + 1)) {
      clean.erase(at, 1);
    }
  }
  std::vector<Instruction> instructions;
  std::string current;
  const auto end_one = [&] {
    Instruction one = parse_one(current);
    if (!one.name.empty() || !one.label.empty()) instructions.push_back(std::move(one));
    current.clear();
  };
  for (const char c : clean) {
    // A brace where an instruction would begin is a scope; elsewhere it is a list of registers.
    const std::string begun = trimmed(current);
    const bool begins = begun.empty() || begun.back() == ':';
    if ((c == '{' || c == '}') && begins) {
      end_one();
      instructions.emplace_back();
      instructions.back().scope =
          c == '{' ? Instruction::Scope::kOpens : Instruction::Scope::kCloses;
    } else if (c == ';') {
      end_one();
    } else {
      current += c;
    }
  }
  end_one();
  return instructions;
}

bool is_ptx(const std::vector<Instruction>& instructions) {
  const auto looks_so = [](const Instruction& one) {
    if (one.name.empty()) return false;
    const std::string& base = one.name.front();
    if (one.name.size() > 1) return base.empty() || std::isalpha(base.front()) != 0;
    return base == "trap" || base == "exit" || base == "brkpt" || base == "activemask";
  };
  return std::any_of(instructions.begin(), instructions.end(), looks_so);
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

std::string translate(const std::vector<Instruction>& instructions) {
  std::string labels, body = "[[maybe_unused]] bool simt_carry = false; ";
  for (const Instruction& one : instructions) {
    if (one.scope != Instruction::Scope::kNone) {
      body += one.scope == Instruction::Scope::kOpens ? "{ " : "} ";
      continue;
    }
    if (!one.label.empty()) {
      labels += "__label__ " + label_name(one.label) + "; ";
      body += label_name(one.label) + ": ; ";
    }
    if (one.name.empty()) continue;
    if (one.name.size() > 1 && one.name[0].empty()) {  // a directive
      for (const std::string& name : one.name[1] == "reg" ? declared(one) : elements("")) {
        if (!name.empty()) body += "::simt::ptx::Register " + register_name(name) + "; ";
      }
      continue;
    }
    std::string made;
    if (one.name[0] == "bra" && one.operands.size() == 1) {
      made = "goto " + label_name(one.operands[0]) + ";";
    } else {
      made = statement(one);
    }
    if (made.empty()) made = "::simt::unknown_ptx(" + quoted(one.name) + ");";
    if (!one.predicate.empty()) {
      std::string guarded = one.is_negated ? "if (!" : "if (";
      guarded.append(register_name(one.predicate)).append(".get<bool>()) { ");
      made = guarded.append(made).append(" }");
    }
    body += made + " ";
  }
  return "{ " + labels + body + "} ";  // labels come first in a block
}

}  // namespace simt::rewriter::ptx
