// SPDX-License-Identifier: MIT
// Inline PTX: the text of an asm statement, cut into instructions, and their translation to C++.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simt::rewriter::ptx {

struct Instruction {
  std::string label;                  // "again" of again: bra again; empty: none
  std::string predicate;              // p of @p and @!p; empty: none
  bool is_negated = false;            // @!p
  std::vector<std::string> name;      // {"ld", "global", "u32"}
  std::vector<std::string> operands;  // as written: "%0", "[%1+4]", "{%2,%3}"
  enum class Scope { kNone, kOpens, kCloses } scope = Scope::kNone;  // { and }, without a name
};

// Whether the text is PTX, and not the assembly language of the host's processor.
bool is_ptx(const std::vector<Instruction>& instructions);

// Cuts the text between the quotes, escapes removed. `has_operands`: %% is written for %.
std::vector<Instruction> parse(const std::string& text, bool has_operands);

// C++ for the instructions: one line that uses the operands simt_ptx0, simt_ptx1 ...
std::string translate(const std::vector<Instruction>& instructions);

// One statement for an instruction without label and predicate; empty if it is not known.
std::string statement(const Instruction& instruction);

// What the operand means as a value of a C++ type: "simt_ptx0.get<float>()".
std::string value(const std::string& operand, const std::string& type);
// The register that an operand names.
std::string register_name(const std::string& operand);
// The elements of {a, b}; the operand itself if it is no list.
std::vector<std::string> elements(const std::string& operand);
// The C++ type of .u32; empty if there is none.
std::string type_of(std::string_view suffix);

}  // namespace simt::rewriter::ptx
