// SPDX-License-Identifier: MIT
// The text of an asm statement, cut into instructions.
#include <algorithm>
#include <cctype>
#include <utility>

#include "ptx/operands.h"
#include "ptx/ptx.h"

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

}  // namespace simt::rewriter::ptx
