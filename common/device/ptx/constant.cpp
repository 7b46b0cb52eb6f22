// SPDX-License-Identifier: MIT
#include "ptx/constant.h"

#include <bit>
#include <string>

namespace ptx {

namespace {

using Kind = Token::Kind;

enum class Operator : std::uint8_t {
  kNone,
  kLogicalOr,
  kLogicalAnd,
  kOr,
  kXor,
  kAnd,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
};

struct Read {
  Operator operation = Operator::kNone;
  int precedence = 0;  // a higher one binds closer
  int length = 1;      // in characters
};

constexpr int kMultiplicative = 10;

Read operator_at(const Lexer& lexer) {
  const char next = lexer.next_character();
  switch (lexer.token().mark) {
    case '|':
      return next == '|' ? Read{Operator::kLogicalOr, 1, 2} : Read{Operator::kOr, 3, 1};
    case '&':
      return next == '&' ? Read{Operator::kLogicalAnd, 2, 2} : Read{Operator::kAnd, 5, 1};
    case '^':
      return {Operator::kXor, 4, 1};
    case '=':
      return next == '=' ? Read{Operator::kEqual, 6, 2} : Read{};
    case '!':
      return next == '=' ? Read{Operator::kNotEqual, 6, 2} : Read{};
    case '<':
      if (next == '<') return {Operator::kShiftLeft, 8, 2};
      return next == '=' ? Read{Operator::kLessEqual, 7, 2} : Read{Operator::kLess, 7, 1};
    case '>':
      if (next == '>') return {Operator::kShiftRight, 8, 2};
      return next == '=' ? Read{Operator::kGreaterEqual, 7, 2} : Read{Operator::kGreater, 7, 1};
    case '+':
      return {Operator::kAdd, 9, 1};
    case '-':
      return {Operator::kSubtract, 9, 1};
    case '*':
      return {Operator::kMultiply, kMultiplicative, 1};
    case '/':
      return {Operator::kDivide, kMultiplicative, 1};
    default:
      // A name cannot be a percent sign alone.
      if (lexer.token().text == "%" && lexer.is(Kind::kName)) {
        return {Operator::kRemainder, kMultiplicative, 1};
      }
      return {};
  }
}

bool begins_fraction(const Lexer& lexer) {  // .5
  const std::string_view text = lexer.token().text;
  return lexer.is(Kind::kDotWord) && text.front() >= '0' && text.front() <= '9';
}

double as_double(const Constant& value) {
  switch (value.kind) {
    case Kind::kFloat32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
    case Kind::kFloat64:
      return std::bit_cast<double>(value.bits);
    default:
      return value.is_unsigned ? static_cast<double>(value.bits)
                               : static_cast<double>(static_cast<std::int64_t>(value.bits));
  }
}

Constant of_double(double value) {
  return {Kind::kFloat64, false, std::bit_cast<std::uint64_t>(value)};
}

Constant of_bool(bool value) { return {Kind::kInteger, false, value ? 1u : 0u}; }

Constant apply_to_doubles(const Lexer& lexer, Operator operation, double left, double right) {
  switch (operation) {
    case Operator::kAdd:
      return of_double(left + right);
    case Operator::kSubtract:
      return of_double(left - right);
    case Operator::kMultiply:
      return of_double(left * right);
    case Operator::kDivide:
      if (right == 0) lexer.fail("a constant expression divides by zero");
      return of_double(left / right);
    default:
      lexer.fail("only + - * / are allowed between floating-point constants");
  }
}

std::uint64_t quotient(const Lexer& lexer, std::uint64_t left, std::uint64_t right,
                       bool is_unsigned) {
  if (right == 0) lexer.fail("a constant expression divides by zero");
  if (is_unsigned) return left / right;
  // The least integer has no positive counterpart: -left wraps around to it.
  if (right == UINT64_MAX) return 0 - left;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(left) /
                                    static_cast<std::int64_t>(right));
}

bool is_less(std::uint64_t left, std::uint64_t right, bool is_unsigned) {
  return is_unsigned ? left < right
                     : static_cast<std::int64_t>(left) < static_cast<std::int64_t>(right);
}

Constant apply(const Lexer& lexer, Operator operation, const Constant& left,
               const Constant& right) {
  if (left.kind != Kind::kInteger || right.kind != Kind::kInteger) {
    return apply_to_doubles(lexer, operation, as_double(left), as_double(right));
  }
  const std::uint64_t a = left.bits;
  const std::uint64_t b = right.bits;
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const auto integer = [&](std::uint64_t bits) {
    return Constant{Kind::kInteger, is_unsigned, bits};
  };
  switch (operation) {
    case Operator::kLogicalOr:
      return of_bool(a != 0 || b != 0);
    case Operator::kLogicalAnd:
      return of_bool(a != 0 && b != 0);
    case Operator::kOr:
      return integer(a | b);
    case Operator::kXor:
      return integer(a ^ b);
    case Operator::kAnd:
      return integer(a & b);
    case Operator::kEqual:
      return of_bool(a == b);
    case Operator::kNotEqual:
      return of_bool(a != b);
    case Operator::kLess:
      return of_bool(is_less(a, b, is_unsigned));
    case Operator::kLessEqual:
      return of_bool(!is_less(b, a, is_unsigned));
    case Operator::kGreater:
      return of_bool(is_less(b, a, is_unsigned));
    case Operator::kGreaterEqual:
      return of_bool(!is_less(a, b, is_unsigned));
    case Operator::kShiftLeft:
      return {Kind::kInteger, left.is_unsigned, b > 63 ? 0 : a << b};
    case Operator::kShiftRight:
      if (left.is_unsigned) return {Kind::kInteger, true, b > 63 ? 0 : a >> b};
      return {Kind::kInteger, false,
              static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (b > 63 ? 63 : b))};
    case Operator::kAdd:
      return integer(a + b);
    case Operator::kSubtract:
      return integer(a - b);
    case Operator::kMultiply:
      return integer(a * b);
    case Operator::kDivide:
      return integer(quotient(lexer, a, b, is_unsigned));
    case Operator::kRemainder:
      return integer(a - quotient(lexer, a, b, is_unsigned) * b);
    case Operator::kNone:
      break;
  }
  return left;
}

Constant negative(Constant value) {
  switch (value.kind) {
    case Kind::kFloat32:
      value.bits ^= std::uint64_t{1} << 31;
      break;
    case Kind::kFloat64:
      value.bits ^= std::uint64_t{1} << 63;
      break;
    default:
      value.bits = 0 - value.bits;
  }
  return value;
}

class Expression {
 public:
  Expression(Lexer& lexer, int depth) : lexer_(lexer), depth_(depth) {}

  // Operators of at least this precedence.
  Constant parse(int least) {
    const Nesting nesting(*this);
    Constant left = parse_unary();
    for (;;) {
      const Read read = operator_at(lexer_);
      if (read.operation == Operator::kNone || read.precedence < least) return left;
      for (int i = 0; i < read.length; ++i) lexer_.next();
      left = apply(lexer_, read.operation, left, parse(read.precedence + 1));
    }
  }

  Constant parse_conditional() {
    const Nesting nesting(*this);
    const Constant condition = parse(1);
    if (!lexer_.accept('?')) return condition;
    if (condition.kind != Kind::kInteger) lexer_.fail("the condition before ? must be an integer");
    const Constant if_true = parse_conditional();
    lexer_.expect(':', "of the constant expression with ?");
    const Constant if_false = parse_conditional();
    return condition.bits != 0 ? if_true : if_false;
  }

 private:
  struct Nesting {
    explicit Nesting(Expression& outer) : expression(outer) {
      if (++expression.depth_ > kMaxNesting) {
        expression.lexer_.fail("a constant expression is nested more than " +
                               std::to_string(kMaxNesting) + " deep");
      }
    }
    ~Nesting() { --expression.depth_; }
    Expression& expression;
  };

  Constant parse_unary() {
    const Nesting nesting(*this);
    switch (lexer_.token().mark) {
      case '-':
        lexer_.next();
        return negative(parse_unary());
      case '+':
        lexer_.next();
        return parse_unary();
      case '~':
        lexer_.next();
        return complement(parse_unary());
      case '!': {
        lexer_.next();
        const Constant value = parse_unary();
        if (value.kind != Kind::kInteger) lexer_.fail("! needs an integer after it");
        return of_bool(value.bits == 0);
      }
      case '(':
        return parse_parentheses();
      default:
        return parse_number();
    }
  }

  Constant complement(Constant value) {
    if (value.kind != Kind::kInteger) lexer_.fail("~ needs an integer after it");
    value.bits = ~value.bits;
    return value;
  }

  Constant parse_parentheses() {
    lexer_.next();
    if (!lexer_.is(Kind::kDotWord)) {
      const Constant value = parse_conditional();
      lexer_.expect(')', "of a constant expression");
      return value;
    }
    const bool is_unsigned = lexer_.is_word("u64");
    if (!is_unsigned && !lexer_.is_word("s64")) lexer_.fail_expecting("the cast .s64 or .u64");
    lexer_.next();
    lexer_.expect(')', "after a cast");
    Constant value = parse_unary();
    if (value.kind != Kind::kInteger) lexer_.fail("a cast needs an integer after it");
    value.is_unsigned = is_unsigned;
    return value;
  }

  Constant parse_number() {
    if (begins_fraction(lexer_)) lexer_.read_as_fraction();
    const Token& token = lexer_.token();
    Constant value{token.kind, token.is_unsigned, token.bits};
    if (token.kind == Kind::kName && token.text == "WARP_SZ") {
      value = {Kind::kInteger, false, 32};
    } else if (token.kind != Kind::kInteger && token.kind != Kind::kFloat32 &&
               token.kind != Kind::kFloat64) {
      lexer_.fail_expecting("a number");
    }
    lexer_.next();
    return value;
  }

  Lexer& lexer_;
  int depth_;
};

}  // namespace

bool begins_constant(const Lexer& lexer) {
  switch (lexer.token().kind) {
    case Kind::kInteger:
    case Kind::kFloat32:
    case Kind::kFloat64:
      return true;
    case Kind::kDotWord:
      return begins_fraction(lexer);
    case Kind::kMark:
      return lexer.is('-') || lexer.is('+') || lexer.is('~') || lexer.is('(') || lexer.is('!');
    default:
      return false;
  }
}

Constant parse_constant(Lexer& lexer, int depth) {
  // Nearly all constants are a number, and end there.
  if (lexer.is(Kind::kInteger)) {
    const char next = lexer.next_character();
    if (next == ';' || next == ',' || next == ']' || next == '}') {
      const Constant value{Kind::kInteger, lexer.token().is_unsigned, lexer.token().bits};
      lexer.next();
      return value;
    }
  }
  return Expression(lexer, depth).parse_conditional();
}

std::int64_t parse_offset(Lexer& lexer) {
  std::uint64_t sum = 0;
  while (lexer.is('+') || lexer.is('-')) {
    const bool is_minus = lexer.is('-');
    lexer.next();
    const Constant term = Expression(lexer, 0).parse(kMultiplicative);
    if (term.kind != Kind::kInteger) lexer.fail("an offset must be an integer");
    sum = is_minus ? sum - term.bits : sum + term.bits;
  }
  return static_cast<std::int64_t>(sum);
}

std::uint64_t parse_size(Lexer& lexer, std::string_view what) {
  const Constant value = parse_constant(lexer);
  if (value.kind != Kind::kInteger) lexer.fail(std::string(what) + " must be an integer");
  if (!value.is_unsigned && static_cast<std::int64_t>(value.bits) < 0) {
    lexer.fail(std::string(what) + " must not be negative");
  }
  return value.bits;
}

}  // namespace ptx
