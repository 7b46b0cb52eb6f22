// SPDX-License-Identifier: MIT
#include "ptx/operands.h"

#include <iterator>
#include <string>

#include "ptx/constant.h"

namespace ptx {

namespace {

using Kind = Token::Kind;

// Of a text of 64 MiB, an eighth; each takes about 100 bytes.
constexpr std::size_t kMaxNodes = std::size_t{8} << 20;

// "!0" and "!(a)" are numbers, "!%p" is a register.
bool begins_constant_next(const Lexer& lexer) {
  const char c = lexer.next_character();
  return (c >= '0' && c <= '9') || c == '(' || c == '!' || c == '-' || c == '~';
}

// Of a register that is a vector; 4: none.
std::size_t component_of(std::string_view word) {
  if (word == "x" || word == "r") return 0;
  if (word == "y" || word == "g") return 1;
  if (word == "z" || word == "b") return 2;
  if (word == "w" || word == "a") return 3;
  return 4;
}

}  // namespace

void OperandParser::count_node() {
  if (++num_nodes_ > kMaxNodes) {
    lexer_.fail("the text has more than " + std::to_string(kMaxNodes) +
                " instructions and operands; split the program into several files");
  }
}

void OperandParser::parse_guard(Instruction& instruction) {
  lexer_.expect('@', "before a guard");
  instruction.guard_negated = lexer_.accept('!');
  instruction.guard = parse_register("after @");
}

void OperandParser::parse_instruction(std::string_view mnemonic, Instruction& instruction) {
  count_node();
  names_a_symbol_ = false;
  is_call_ = mnemonic == "call";
  words_.assign(1, mnemonic);
  while (lexer_.is(Kind::kDotWord)) {
    words_.push_back(lexer_.token().text);
    lexer_.next();
  }
  instruction.words.assign(words_.begin(), words_.end());
  if (!lexer_.is(';')) instruction.operands = parse_operands(0);
  if (!lexer_.is(';')) {
    lexer_.fail_expecting("',' or ';' after an operand of " + quoted(mnemonic));
  }
  lexer_.next();
}

std::vector<Operand> OperandParser::parse_operands(int depth) {
  const std::size_t first = scratch_.size();
  do {
    scratch_.push_back(parse_operand(depth));
  } while (lexer_.accept(','));
  const auto begin = std::next(scratch_.begin(), static_cast<std::ptrdiff_t>(first));
  std::vector<Operand> operands(std::make_move_iterator(begin),
                                std::make_move_iterator(scratch_.end()));
  scratch_.resize(first);
  return operands;
}

Operand OperandParser::parse_operand(int depth) {
  count_node();
  if (depth > kMaxNesting) {
    lexer_.fail("an operand is nested more than " + std::to_string(kMaxNesting) + " deep");
  }
  if (lexer_.is(Kind::kName)) return parse_name();
  switch (lexer_.token().mark) {
    case '[':
      return parse_address(depth);
    case '{':
      return parse_list('}', depth);
    case '(':
      return is_call_ ? parse_list(')', depth) : parse_number(depth);
    case '!':
      if (begins_constant_next(lexer_)) return parse_number(depth);
      return parse_negated();
    default:
      return parse_number(depth);
  }
}

// "%tid" ".x" is one register.
std::string_view OperandParser::read_special_register() {
  std::string_view name = lexer_.token().text;
  lexer_.next();
  if (lexer_.is(Kind::kDotWord) && lexer_.touches_previous()) {
    name = {name.data(), name.size() + 1 + lexer_.token().text.size()};
    lexer_.next();
  }
  return name;
}

Operand OperandParser::parse_name() {
  Operand operand;
  const std::string_view name = lexer_.token().text;
  if (name == "_") {
    lexer_.next();
    if (lexer_.accept('|')) operand.second = parse_register("after |");
    return operand;
  }
  const Scopes::Meaning meaning = scopes_.find(name);
  switch (meaning.kind) {
    case Scopes::Meaning::Kind::kRegister:
      lexer_.next();
      operand.kind = Operand::Kind::kRegister;
      operand.name = meaning.name;
      if (lexer_.is(Kind::kDotWord)) {
        lexer_.fail("parts of the register " + quoted(name) +
                    " (.b0, .h1) are not supported; take them out with prmt or bfe");
      }
      if (lexer_.accept('|')) operand.second = parse_register("after |");
      return operand;
    case Scopes::Meaning::Kind::kVector:
      lexer_.next();
      return parse_vector(name, scopes_.components(meaning));
    case Scopes::Meaning::Kind::kVariable:
      lexer_.next();
      operand.name = meaning.name;
      break;
    case Scopes::Meaning::Kind::kUnknown:
      if (name.front() == '%') {
        operand.kind = Operand::Kind::kRegister;
        operand.name = read_special_register();
        return operand;
      }
      if (name == "WARP_SZ") return parse_number(0);
      lexer_.next();
      operand.name = name;
      names_a_symbol_ = true;
  }
  operand.kind = Operand::Kind::kSymbol;
  operand.offset = parse_offset(lexer_);
  return operand;
}

// v, or v.x: `components` are registers of their own.
Operand OperandParser::parse_vector(std::string_view name,
                                    const std::vector<std::string_view>& components) {
  Operand operand;
  if (!lexer_.is(Kind::kDotWord)) {
    operand.kind = Operand::Kind::kVector;
    for (const std::string_view component : components) {
      count_node();
      Operand& element = operand.elements.emplace_back();
      element.kind = Operand::Kind::kRegister;
      element.name = component;
    }
    return operand;
  }
  const std::size_t index = component_of(lexer_.token().text);
  if (index >= components.size()) {
    lexer_.fail_expecting("a part of the vector " + quoted(name) + ", such as .x");
  }
  lexer_.next();
  operand.kind = Operand::Kind::kRegister;
  operand.name = components[index];
  return operand;
}

Operand OperandParser::parse_negated() {
  lexer_.next();
  Operand operand;
  operand.kind = Operand::Kind::kRegister;
  operand.is_negated = true;
  operand.name = parse_register("after !");
  return operand;
}

// A declared register, or _, which is "".
std::string_view OperandParser::parse_register(std::string_view where) {
  const std::string_view name = lexer_.token().text;
  if (!lexer_.is(Kind::kName)) lexer_.fail_expecting("a register " + std::string(where));
  const Scopes::Meaning meaning = scopes_.find(name);
  if (meaning.kind != Scopes::Meaning::Kind::kRegister && name != "_") {
    lexer_.fail(quoted(name) + " " + std::string(where) +
                " is not a register; declare it with .reg before its use");
  }
  lexer_.next();
  return meaning.name;
}

Operand OperandParser::parse_number(int depth) {
  if (!lexer_.is(Kind::kName) && !begins_constant(lexer_)) {
    lexer_.fail_expecting("an operand: a register, a number, a name, [address] or {vector}");
  }
  const Constant value = parse_constant(lexer_, depth);
  Operand operand;
  operand.bits = value.bits;
  switch (value.kind) {
    case Kind::kFloat32:
      operand.kind = Operand::Kind::kFloat32;
      break;
    case Kind::kFloat64:
      operand.kind = Operand::Kind::kFloat64;
      break;
    default:
      operand.kind = Operand::Kind::kInteger;
  }
  return operand;
}

Operand OperandParser::parse_list(char closing, int depth) {
  lexer_.next();
  Operand operand;
  operand.kind = Operand::Kind::kVector;
  if (lexer_.accept(closing)) return operand;
  operand.elements = parse_operands(depth + 1);
  lexer_.expect(closing, closing == ')' ? "after the values of a call" : "after a vector");
  return operand;
}

Operand OperandParser::parse_address(int depth) {
  lexer_.next();
  Operand operand;
  operand.kind = Operand::Kind::kAddress;
  if (lexer_.is(Kind::kName)) {
    operand.name = lexer_.token().text;
    const Scopes::Meaning meaning = scopes_.find(operand.name);
    if (meaning.kind != Scopes::Meaning::Kind::kUnknown) operand.name = meaning.name;
    lexer_.next();
    operand.offset = parse_offset(lexer_);
  } else if (begins_constant(lexer_)) {
    const Constant value = parse_constant(lexer_, depth);
    if (value.kind != Kind::kInteger) lexer_.fail("an address must be an integer");
    operand.offset = static_cast<std::int64_t>(value.bits);
  } else {
    lexer_.fail_expecting("a register, a name or a number after [");
  }
  if (lexer_.accept(',')) operand.elements = parse_operands(depth + 1);
  lexer_.expect(']', "after an address");
  return operand;
}

}  // namespace ptx
