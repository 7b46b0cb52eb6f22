// SPDX-License-Identifier: MIT
// asm volatile("add.u32 %0, %1, 1;" : "=r"(x) : "r"(y)); becomes a block of C++.
#include <algorithm>
#include <optional>

#include "ptx/ptx.h"
#include "rewrite.h"

namespace simt::rewriter {
namespace {

struct Operand {
  std::string constraint;  // "=r", "+f", "n"
  std::string expression;
  bool is_output() const { return constraint[0] == '=' || constraint[0] == '+'; }
};

// What string literals mean together; nothing for a raw one, or one with a prefix.
std::optional<std::string> text_of(const Tokens& code, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string_view literal = code[i].text;
    if (code[i].kind != TokenKind::kString || literal.size() < 2 || literal.front() != '"') {
      return std::nullopt;
    }
    for (std::size_t c = 1; c + 1 < literal.size(); ++c) {
      if (literal[c] != '\\') {
        text += literal[c];
      } else if (++c + 1 < literal.size()) {
        const char escaped = literal[c];
        if (escaped == '\n') continue;
        text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
      }
    }
  }
  return text;
}

// The operands in code[begin, end): "=r"(x), "f"(y). Nothing if they look otherwise.
bool add_operands(const Tokens& code, std::size_t begin, std::size_t end,
                  std::vector<Operand>& operands) {
  for (std::size_t i = begin; i < end;) {
    const std::optional<std::string> constraint = text_of(code, i, i + 1);
    if (!constraint || constraint->empty() || i + 1 >= end || !code[i + 1].is("(")) return false;
    const std::size_t close = matching_close(code, i + 1);
    if (close >= end) return false;
    operands.push_back({*constraint, spell(code, i + 2, close)});
    i = close + 1;  // nvcc needs no comma
    if (i < end && code[i].is(",")) ++i;
  }
  return true;
}

// `: outputs : inputs : clobbers`, where the lexer may take two colons for one.
bool parse_operands(const Tokens& code, std::size_t begin, std::size_t end,
                    std::vector<Operand>& operands) {
  std::vector<std::size_t> colons;  // where each part begins
  for (std::size_t i = begin; i < end; ++i) {
    if (opens_bracket(code[i])) {
      i = matching_close(code, i);
    } else if (code[i].is(":")) {
      colons.push_back(i);
    } else if (code[i].is("::")) {
      colons.push_back(i);
      colons.push_back(i);
    }
  }
  for (std::size_t part = 0; part < std::min<std::size_t>(colons.size(), 2); ++part) {
    const std::size_t part_end = part + 1 < colons.size() ? colons[part + 1] : end;
    if (colons[part] + 1 >= part_end) continue;
    if (!add_operands(code, colons[part] + 1, part_end, operands)) return false;
  }
  return true;
}

std::string block_of(const std::vector<Operand>& operands, const std::string& body) {
  std::string text = "do { ";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    const std::string name = "simt_ptx" + std::to_string(i);
    const char letter = operand.constraint.back();
    text += "::simt::ptx::Register " + name;
    if (operand.constraint[0] != '=') {
      const std::string type = letter == 'f'   ? "float"
                               : letter == 'd' ? "double"
                               : letter == 'h' ? "unsigned short"
                               : letter == 'r' ? "unsigned"
                                               : "unsigned long long";
      text.append("; ").append(name).append(".take<").append(type).append(">(");
      text.append(operand.expression).append(")");
    }
    text += "; ";
  }
  text += body;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_output()) continue;
    text += "simt_ptx" + std::to_string(i) + ".give(" + operands[i].expression + "); ";
  }
  return text + "} while (0)";
}

}  // namespace

bool rewrite_inline_ptx(const Tokens& code, Edits& edits) {
  bool found = false;
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    if (!code[i].is("asm") && !code[i].is("__asm__") && !code[i].is("__asm")) continue;
    std::size_t open = i + 1;
    while (open < code.size() && (code[open].is("volatile") || code[open].is("__volatile__"))) {
      ++open;
    }
    if (open >= code.size() || !code[open].is("(")) continue;
    constexpr std::size_t kMostTokens = 2000;  // a statement with more is left as it is
    const std::size_t close = matching_close(code, open, kMostTokens);
    if (close >= code.size()) continue;
    std::size_t end = open + 1;
    while (end < close && code[end].kind == TokenKind::kString) ++end;
    const std::optional<std::string> text = text_of(code, open + 1, end);
    const bool has_operands = end < close;
    if (!text || (has_operands && !code[end].is(":") && !code[end].is("::"))) continue;
    const std::vector<ptx::Instruction> instructions = ptx::parse(*text, has_operands);
    std::vector<Operand> operands;
    if (!ptx::is_ptx(instructions) || !parse_operands(code, end, close, operands)) continue;
    const std::string missing = ptx::what_is_missing(instructions, operands.size());
    edits.replace(code[i].begin, code[close].end,
                  missing.empty() ? block_of(operands, ptx::translate(instructions))
                                  : "do { static_assert(false, \"" + missing + "\"); } while (0)");
    found = true;
    i = close;  // what is inside is replaced
  }
  return found;
}

}  // namespace simt::rewriter
