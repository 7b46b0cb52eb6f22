// SPDX-License-Identifier: MIT
// One instruction: guard, words, operands.
#pragma once

#include <cstddef>
#include <vector>

#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/scopes.h"

namespace ptx {

class OperandParser {
 public:
  // `num_nodes` counts the instructions and operands of the whole text, which has a limit.
  OperandParser(Lexer& lexer, Scopes& scopes, std::size_t& num_nodes)
      : lexer_(lexer), scopes_(scopes), num_nodes_(num_nodes) {}

  void parse_guard(Instruction& instruction);  // the token is '@'
  // `mnemonic` is the first word, which the caller has read.
  void parse_instruction(std::string_view mnemonic, Instruction& instruction);
  void count_node();  // throws Error when there are too many
  // The last instruction names neither register nor variable: a label, or of the module.
  bool names_a_symbol() const { return names_a_symbol_; }

 private:
  Operand parse_operand(int depth);
  Operand parse_name();
  Operand parse_vector(std::string_view name, const std::vector<std::string_view>& components);
  Operand parse_negated();
  Operand parse_number(int depth);
  Operand parse_list(char closing, int depth);  // the token is the opening bracket
  Operand parse_address(int depth);
  // Operands up to the closing mark, which becomes the current token.
  std::vector<Operand> parse_operands(int depth);
  std::string_view parse_register(std::string_view where);
  std::string_view read_special_register();

  Lexer& lexer_;
  Scopes& scopes_;
  std::size_t& num_nodes_;
  bool is_call_ = false;
  bool names_a_symbol_ = false;
  std::vector<Operand> scratch_;         // operands get vectors of just their length
  std::vector<std::string_view> words_;  // likewise
};

}  // namespace ptx
