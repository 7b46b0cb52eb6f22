// SPDX-License-Identifier: MIT
#include "ptx/function.h"

#include <string>
#include <utility>

namespace ptx {

namespace {

using Kind = Token::Kind;

}  // namespace

void parse_pragma(Lexer& lexer) {
  do {
    lexer.next();
    if (!lexer.is(Kind::kString)) lexer.fail_expecting("a string after .pragma");
    lexer.next();
  } while (lexer.is(','));
  lexer.expect(';', "after .pragma");
}

FunctionParser::FunctionParser(Text& text, Function& function)
    : text_(text),
      lexer_(text.lexer),
      function_(function),
      scopes_(text.module, function, text.names),
      operands_(text.lexer, scopes_, text.num_nodes) {}

void FunctionParser::parse() {
  function_.is_kernel = lexer_.is_word("entry");
  lexer_.next();
  if (lexer_.is_word("attribute")) {
    lexer_.next();
    parse_attribute(lexer_);
  }
  if (!function_.is_kernel && lexer_.is('(')) {
    function_.returns = text_.variables.parse_parameters();
  }
  function_.name = lexer_.expect_name("the name of a function");
  if (lexer_.is('(')) function_.parameters = text_.variables.parse_parameters();
  parse_directives();
  if (lexer_.accept(';')) {
    function_.is_declared_only = true;
    return;
  }
  if (!lexer_.is('{')) lexer_.fail_expecting("'{' or ';' after the head of a function");
  // A function may call itself, and its name hides nothing.
  text_.names.insert(function_.name);
  text_.places.begin_function();
  const std::uint32_t line = lexer_.token().line;
  for (const Variable& value : function_.returns) scopes_.declare_parameter(value.name, line);
  for (const Variable& value : function_.parameters) scopes_.declare_parameter(value.name, line);
  parse_body();
  scopes_.resolve_labels();
}

// 16, 4 is 16, 4, 1.
std::array<std::uint32_t, 3> FunctionParser::parse_extent() {
  std::array<std::uint32_t, 3> extent = {1, 1, 1};
  extent[0] = lexer_.expect_number("a number of threads or blocks");
  for (std::size_t i = 1; i < 3 && lexer_.accept(','); ++i) {
    extent[i] = lexer_.expect_number("a number of threads or blocks");
  }
  return extent;
}

void FunctionParser::parse_directives() {
  while (lexer_.is(Kind::kDotWord)) {
    const std::string_view word = lexer_.token().text;
    if (word == "pragma") {
      parse_pragma(lexer_);
      continue;
    }
    lexer_.next();
    if (word == "maxntid") {
      function_.max_threads = parse_extent();
    } else if (word == "reqntid") {
      function_.required_threads = parse_extent();
    } else if (word == "reqnctapercluster") {
      function_.cluster = parse_extent();
    } else if (word == "minnctapersm") {
      function_.min_blocks = lexer_.expect_number("a number of blocks after .minnctapersm");
    } else if (word == "maxnctapersm" || word == "maxnreg" || word == "maxclusterrank" ||
               word == "abi_preserve" || word == "abi_preserve_control") {
      lexer_.expect_number("a number after " + quoted("." + std::string(word)));
    } else if (word != "noreturn" && word != "explicitcluster" && word != "blocksareclusters") {
      lexer_.fail(quoted("." + std::string(word.substr(0, 60))) +
                  " is not a directive of a function");
    }
  }
}

void FunctionParser::parse_body() {
  const std::uint32_t first_line = lexer_.token().line;
  lexer_.next();
  for (;;) {
    switch (lexer_.token().kind) {
      case Kind::kName:
        parse_named_statement();
        continue;
      case Kind::kDotWord:
        parse_directive_of_body();
        continue;
      case Kind::kMark:
        break;
      default:
        if (!lexer_.is(Kind::kEnd)) lexer_.fail_expecting("an instruction");
        throw Error(scopes_.num_open() > 0 ? scopes_.line_of_innermost() : first_line,
                    "this { has no }; is the text complete?");
    }
    switch (lexer_.token().mark) {
      case '@': {
        Instruction instruction;
        instruction.text_line = lexer_.token().line;
        operands_.parse_guard(instruction);
        const std::string_view mnemonic = lexer_.expect_name("an instruction after its guard");
        parse_instruction(mnemonic, std::move(instruction));
        break;
      }
      case '{':
        scopes_.open(lexer_.token().line);
        lexer_.next();
        break;
      case '}':
        lexer_.next();
        if (scopes_.num_open() == 0) return;
        scopes_.close();
        break;
      case ';':  // inline assembly ends in one too many
        lexer_.next();
        break;
      default:
        lexer_.fail_expecting("an instruction");
    }
  }
}

void FunctionParser::parse_directive_of_body() {
  const std::string_view word = lexer_.token().text;
  if (word == "loc") {
    place_ = text_.places.parse_loc(lexer_);
  } else if (word == "reg") {
    parse_registers();
  } else if (word == "pragma") {
    parse_pragma(lexer_);
  } else if (word == "file") {
    text_.places.parse_file(lexer_);
  } else if (word == "branchtargets" || word == "calltargets" || word == "callprototype") {
    lexer_.fail(quoted("." + std::string(word)) + " needs a label before it");
  } else {
    const Variable linkage = parse_linkage(lexer_);
    if (!lexer_.is(Kind::kDotWord) || space_named(lexer_.token().text) == Space::kGeneric) {
      lexer_.fail_expecting("an instruction or a declaration");
    }
    parse_variables(linkage);
  }
}

void FunctionParser::parse_variables(const Variable& linkage) {
  const std::uint32_t line = lexer_.token().line;
  text_.variables.parse_list(linkage, [&](Variable variable) {
    variable.name = scopes_.declare_variable(variable.name, line);
    function_.variables.push_back(std::move(variable));
  });
}

// .reg .b32 %a, %b<10>;
void FunctionParser::parse_registers() {
  lexer_.next();
  std::size_t length = 1;
  if (lexer_.is_word("v2") || lexer_.is_word("v4")) {
    length = lexer_.is_word("v2") ? 2 : 4;
    lexer_.next();
  }
  const Type type = lexer_.is(Kind::kDotWord) ? type_named(lexer_.token().text) : Type::kNone;
  if (type == Type::kNone) lexer_.fail_expecting("the type of a register, such as .b32");
  lexer_.next();
  do {
    const std::uint32_t line = lexer_.token().line;
    const std::string_view name = lexer_.expect_name("the name of a register");
    operands_.count_node();
    if (name == "_") lexer_.fail("_ cannot be declared: it takes values that nothing reads");
    if (lexer_.accept('<')) {
      const std::uint32_t count = lexer_.expect_number("a number of registers");
      lexer_.expect('>', "after a number of registers");
      if (length > 1) lexer_.fail("a range of registers cannot have vectors; name each");
      scopes_.declare_registers(name, count, type, line);
    } else if (length > 1) {
      scopes_.declare_vector(name, length, type, line);
    } else {
      scopes_.declare_register(name, type, line);
    }
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the names of registers");
}

void FunctionParser::parse_named_statement() {
  const std::uint32_t line = lexer_.token().line;
  const std::string_view name = lexer_.token().text;
  lexer_.next();
  if (lexer_.is(':')) {
    lexer_.next();
    parse_label(name, line);
    return;
  }
  Instruction instruction;
  instruction.text_line = line;
  parse_instruction(name, std::move(instruction));
}

void FunctionParser::parse_instruction(std::string_view mnemonic, Instruction instruction) {
  instruction.place = place_;
  operands_.parse_instruction(mnemonic, instruction);
  if (operands_.names_a_symbol()) {
    scopes_.name_label_later_in_instruction(function_.instructions.size());
  }
  function_.instructions.push_back(std::move(instruction));
}

void FunctionParser::parse_label(std::string_view name, std::uint32_t line) {
  operands_.count_node();
  const std::string_view unique = scopes_.declare_label(name, line);
  const bool has_targets = lexer_.is_word("branchtargets") || lexer_.is_word("calltargets");
  if (!has_targets && !lexer_.is_word("callprototype")) {
    function_.labels.push_back({unique, function_.instructions.size()});
    return;
  }
  Table table;
  table.label = unique;
  lexer_.next();
  if (has_targets) {
    parse_targets(table);
    scopes_.name_label_later_in_table(function_.tables.size());
  } else {
    parse_prototype(table);
  }
  function_.tables.push_back(std::move(table));
}

void FunctionParser::parse_targets(Table& table) {
  do {
    table.targets.push_back(lexer_.expect_name("a label or a function in a list of targets"));
  } while (lexer_.accept(','));
  lexer_.expect(';', "after a list of targets");
}

// label: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;
void FunctionParser::parse_prototype(Table& table) {
  if (lexer_.is('(')) table.returns = text_.variables.parse_parameters();
  lexer_.expect_name("_ in a .callprototype");
  if (lexer_.is('(')) table.parameters = text_.variables.parse_parameters();
  while (lexer_.is_word("noreturn") || lexer_.is_word("abi_preserve") ||
         lexer_.is_word("abi_preserve_control")) {
    const bool has_number = !lexer_.is_word("noreturn");
    lexer_.next();
    if (has_number) lexer_.expect_number("a number of registers to preserve");
  }
  lexer_.expect(';', "after a .callprototype");
}

}  // namespace ptx
