// SPDX-License-Identifier: MIT
// The instructions of an asm statement as one block of C++.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <utility>

#include "ptx/operands.h"
#include "ptx/ptx.h"
#include "ptx/statement.h"

namespace simt::rewriter::ptx {
namespace {

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

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
  }
  return result;
}

// "add.u32", or "add.u32 with 2 operands" where another number might be known.
std::string description(const Instruction& one) {
  std::string text;
  for (const std::string& part : one.name) text += (text.empty() ? "" : ".") + part;
  if (!is_known(one)) return text;
  const std::size_t count = one.operands.size();
  return text + " with " + std::to_string(count) + (count == 1 ? " operand" : " operands");
}

std::string label_name(const std::string& label) { return "simt_label_" + register_name(label); }

}  // namespace

std::string what_is_missing(const std::vector<Instruction>& instructions,
                            std::size_t num_operands) {
  std::set<std::string> registers, labels;
  for (std::size_t i = 0; i < num_operands; ++i) {
    registers.insert(register_name("%" + std::to_string(i)));
  }
  for (const Instruction& one : instructions) {
    if (!one.label.empty()) labels.insert(one.label);
    if (one.name.size() < 2 || !one.name[0].empty() || one.name[1] != "reg") continue;
    for (const std::string& name : declared(one)) registers.insert(register_name(name));
  }
  for (const Instruction& one : instructions) {
    if (one.name.empty() || one.name[0].empty()) continue;
    if (one.name[0] == "bra") {
      if (one.operands.size() == 1 && labels.count(one.operands[0]) == 0) {
        return "the asm statement branches to " + escaped(one.operands[0]) +
               ", which is no label of it";
      }
      continue;
    }
    if (!is_known(one)) continue;  // a finding where it is executed
    Strings names;
    if (!one.predicate.empty()) names.push_back(one.predicate);
    for (const std::string& operand : one.operands) {
      for (std::string& name : names_in(operand)) names.push_back(std::move(name));
    }
    for (const std::string& name : names) {
      if (is_special_register(name) || registers.count(register_name(name)) != 0) continue;
      const bool is_operand =
          name.size() > 1 && name[0] == '%' &&
          std::all_of(name.begin() + 1, name.end(), [](char c) { return '0' <= c && c <= '9'; });
      if (!is_operand) return "the asm statement uses " + name + ", which no .reg declares";
      return "the asm statement uses " + name + ", but has " + std::to_string(num_operands) +
             (num_operands == 1 ? " operand" : " operands");
    }
  }
  return "";
}

std::string translate(const std::vector<Instruction>& instructions) {
  std::string labels, body(kCarryFlag);
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
    if (made.empty()) made = "::simt::unknown_ptx(\"" + escaped(description(one)) + "\");";
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
