// SPDX-License-Identifier: MIT
// Declarations of variables and parameters, with their initialisers.
#pragma once

#include <cstddef>
#include <vector>

#include "ptx/lexer.h"
#include "ptx/module.h"

namespace ptx {

// The space that a word names (.global, .shared, ...); kGeneric: none.
Space space_named(std::string_view word);

// .extern, .visible, .weak, .common: the token may be none of them.
Variable parse_linkage(Lexer& lexer);

// The rest of .attribute(.managed) after its word. Returns whether it is managed.
bool parse_attribute(Lexer& lexer);

class VariableParser {
 public:
  explicit VariableParser(Lexer& lexer) : lexer_(lexer) {}

  // The token is the word of a space. Reads up to and with the ';', and calls add(Variable) for
  // each name of the list.
  template <class Add>
  void parse_list(const Variable& linkage, Add add) {
    const Variable base = parse_base(linkage);
    do {
      add(parse_named(base, true));
    } while (lexer_.accept(','));
    lexer_.expect(';', "after the declaration of a variable");
  }

  // "(.param .b32 a, .param .align 8 .b8 b[16])"; the token is '('.
  std::vector<Variable> parse_parameters();

 private:
  struct Shape;

  Variable parse_base(const Variable& linkage);
  Variable parse_named(const Variable& base, bool may_have_initialiser);
  void parse_pointer();
  std::vector<std::size_t> parse_lengths();
  void parse_initialiser(Variable& variable, const std::vector<std::size_t>& lengths);
  void parse_braces(Variable& variable, const Shape& shape, std::size_t level);
  void parse_element(Variable& variable, const Shape& shape);
  void parse_address(Variable& variable, std::string_view name);
  std::uint64_t bits_of_element(Type type);

  Lexer& lexer_;
  std::size_t vector_length_ = 1;      // of the declaration: .v4
  std::size_t num_initial_bytes_ = 0;  // of all variables
  std::size_t num_variables_ = 0;
  std::size_t position_ = 0;  // in the initialiser, in bytes
};

}  // namespace ptx
