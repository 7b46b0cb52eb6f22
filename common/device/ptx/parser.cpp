// SPDX-License-Identifier: MIT
// A text of PTX from its first to its last byte: what is outside of functions.
#include <string>
#include <unordered_map>
#include <utility>

#include "ptx/debug_info.h"
#include "ptx/function.h"
#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/source_line.h"

namespace ptx {

namespace {

using Kind = Token::Kind;

class ModuleParser {
 public:
  explicit ModuleParser(Module& module) : module_(module), text_(module), lexer_(text_.lexer) {}

  void parse() {
    while (!lexer_.is(Kind::kEnd)) {
      if (lexer_.accept(';')) continue;
      if (!lexer_.is(Kind::kDotWord)) lexer_.fail_expecting("a directive, such as .entry");
      parse_directive();
    }
    text_.places.finish();
  }

 private:
  void parse_directive() {
    const std::string_view word = lexer_.token().text;
    if (word == "file") {
      text_.places.parse_file(lexer_);
    } else if (word == "loc") {
      text_.places.parse_loc(lexer_);
    } else if (word == "section") {
      parse_section();
    } else if (word == "pragma") {
      parse_pragma(lexer_);
    } else if (word == "alias") {
      parse_alias();
    } else if (word == "version" || word == "target") {
      parse_header();
    } else if (word == "address_size") {
      parse_address_size();
    } else {
      parse_declaration();
    }
  }

  // .version 8.7    .target sm_90, debug
  void parse_header() {
    do {
      lexer_.next();
      if (lexer_.is(Kind::kEnd)) lexer_.fail_expecting("a version or a target");
      lexer_.next();
    } while (lexer_.is(','));
  }

  void parse_address_size() {
    lexer_.next();
    if (lexer_.expect_number("a number of bits after .address_size") != 64) {
      lexer_.fail("only addresses of 64 bits are supported; compile for a 64-bit system");
    }
  }

  void parse_section() {
    const char* const begin = lexer_.token().text.data() - 1;  // the dot
    lexer_.next();
    if (!lexer_.is(Kind::kDotWord) && !lexer_.is(Kind::kName)) {
      lexer_.fail_expecting("the name of a .section");
    }
    lexer_.next();
    if (!lexer_.is('{')) lexer_.fail_expecting("'{' after .section");
    const std::string_view block = lexer_.skip_block();
    module_.debug_sections.emplace_back(begin, block.data() + block.size());
  }

  void parse_alias() {
    lexer_.next();
    Alias alias;
    alias.name = lexer_.expect_name("a function after .alias");
    lexer_.expect(',', "between the two functions of .alias");
    alias.target = lexer_.expect_name("the function that .alias stands for");
    lexer_.expect(';', "after .alias");
    module_.aliases.push_back(alias);
  }

  void parse_declaration() {
    const std::uint32_t line = lexer_.token().line;
    const Variable linkage = parse_linkage(lexer_);
    if (lexer_.is_word("entry") || lexer_.is_word("func")) {
      parse_function(linkage, line);
    } else if (lexer_.is(Kind::kDotWord) && space_named(lexer_.token().text) != Space::kGeneric) {
      text_.variables.parse_list(linkage,
                                 [&](Variable variable) { add(std::move(variable), line); });
    } else {
      lexer_.fail_expecting("a directive, such as .entry, .func, .global or .shared");
    }
  }

  void parse_function(const Variable& linkage, std::uint32_t line) {
    Function function;
    function.is_visible = linkage.is_visible;
    function.is_weak = linkage.is_weak;
    FunctionParser(text_, function).parse();
    const auto [it, is_new] = functions_.try_emplace(function.name, module_.functions.size());
    if (is_new) {
      if (variables_.contains(function.name)) fail_twice(line, function.name);
      text_.names.insert(function.name);
      module_.functions.push_back(std::move(function));
      return;
    }
    if (function.is_declared_only) return;
    Function& earlier = module_.functions[it->second];
    if (!earlier.is_declared_only) fail_twice(line, function.name);
    earlier = std::move(function);
  }

  void add(Variable variable, std::uint32_t line) {
    const auto [it, is_new] = variables_.try_emplace(variable.name, module_.variables.size());
    if (is_new) {
      if (functions_.contains(variable.name)) fail_twice(line, variable.name);
      text_.names.insert(variable.name);
      module_.variables.push_back(std::move(variable));
      return;
    }
    if (variable.is_extern) return;
    Variable& earlier = module_.variables[it->second];
    if (!earlier.is_extern) fail_twice(line, variable.name);
    earlier = std::move(variable);
  }

  [[noreturn]] static void fail_twice(std::uint32_t line, std::string_view name) {
    throw Error(line, quoted(name) + " is defined twice");
  }

  Module& module_;
  Text text_;
  Lexer& lexer_;
  std::unordered_map<std::string_view, std::size_t> functions_;  // indices, by name
  std::unordered_map<std::string_view, std::size_t> variables_;
};

}  // namespace

Module parse(std::string text) {
  if (text.size() > kMaxTextBytes) {
    throw Error(1, "the text has more than " + std::to_string(kMaxTextBytes >> 20) + " MiB");
  }
  // What is embedded in a program ends with a NUL or several.
  while (!text.empty() && text.back() == '\0') text.pop_back();
  Module module;
  module.text = std::move(text);
  // A short string moves with its object, and the views into it would not.
  constexpr std::size_t kNotInObject = 64;
  module.text.reserve(kNotInObject);
  try {
    ModuleParser(module).parse();
    find_locals(module);
  } catch (Error& error) {
    error.set_source(source_of(module.text, error.line()));
    throw;
  }
  return module;
}

}  // namespace ptx
