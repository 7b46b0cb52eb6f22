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

// What every translation contains, and no other text. A file with one needs simt/ptx.h.
inline constexpr std::string_view kCarryFlag = "[[maybe_unused]] bool simt_carry = false; ";

// C++ for the instructions: one line that uses the operands simt_ptx0, simt_ptx1 ...
std::string translate(const std::vector<Instruction>& instructions);

// Why an assembler would refuse the statement: a register or label that nothing declares, or an
// operand that it lacks. Empty: nothing is missing.
std::string what_is_missing(const std::vector<Instruction>& instructions, std::size_t num_operands);

}  // namespace simt::rewriter::ptx
