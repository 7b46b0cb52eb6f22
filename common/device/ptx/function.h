// SPDX-License-Identifier: MIT
// A function of PTX: its head, its directives, and the statements between its braces.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/operands.h"
#include "ptx/places.h"
#include "ptx/scopes.h"
#include "ptx/variables.h"

namespace ptx {

// What the functions of one text share.
struct Text {
  explicit Text(Module& target)
      : module(target), lexer(target.text), places(target), variables(lexer) {}

  Module& module;
  Lexer lexer;
  Places places;
  VariableParser variables;
  std::unordered_set<std::string_view> names;  // of variables and functions so far
  std::size_t num_nodes = 0;                   // instructions and operands
};

class FunctionParser {
 public:
  // The token is .entry or .func. Reads up to and with the '}' or, of a declaration, the ';'.
  FunctionParser(Text& text, Function& function);
  void parse();

 private:
  void parse_directives();
  std::array<std::uint32_t, 3> parse_extent();
  void parse_body();
  void parse_directive_of_body();
  void parse_registers();
  void parse_variables(const Variable& linkage);
  void parse_named_statement();
  void parse_label(std::string_view name, std::uint32_t line);
  void parse_targets(Table& table);
  void parse_prototype(Table& table);
  void parse_instruction(std::string_view mnemonic, Instruction instruction);

  Text& text_;
  Lexer& lexer_;
  Function& function_;
  Scopes scopes_;
  OperandParser operands_;
  std::uint32_t place_ = kNoPlace;
};

void parse_pragma(Lexer& lexer);  // the token is .pragma

}  // namespace ptx
