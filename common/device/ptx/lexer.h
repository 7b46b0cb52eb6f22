// SPDX-License-Identifier: MIT
// Tokens of PTX text, one at a time: the parser looks at the current one and asks for the next.
// Words and punctuation stay views of the text; numbers are read here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/module.h"

namespace ptx {

struct Token {
  enum class Kind : std::uint8_t {
    kEnd,
    kName,     // foo, %r12, $L__BB0_1, _
    kDotWord,  // .global, .v4, .shared::cta; text without the dot
    kInteger,  // bits
    kFloat32,  // 0f3F800000: bits
    kFloat64,  // 0d..., 1.5, 1e-3: bits
    kString,   // "...": text between the quotes, escapes as written
    kMark,     // one character
  };
  Kind kind = Kind::kEnd;
  char mark = 0;             // of kMark, else 0
  bool is_unsigned = false;  // kInteger: has the suffix U, or needs 64 bits
  std::uint32_t line = 1;
  std::string_view text;
  std::uint64_t bits = 0;
};

class Lexer {
 public:
  // A NUL must follow the text, as std::string puts one there. `text` must outlive the lexer.
  explicit Lexer(std::string_view text);

  const Token& token() const { return token_; }
  void next();

  bool is(char mark) const { return token_.mark == mark; }
  bool is(Token::Kind kind) const { return token_.kind == kind; }
  bool is_word(std::string_view word) const {
    return token_.kind == Token::Kind::kDotWord && token_.text == word;
  }
  // The character that follows the current token directly: '<' of "<<", or 0 at the end.
  char next_character() const { return *position_; }
  // No space stands between the token before and the current one: "%tid" ".x".
  bool touches_previous() const;

  bool accept(char mark);
  void expect(char mark, std::string_view where);  // "after the operands of an instruction"
  std::string_view expect_name(std::string_view what);
  std::uint32_t expect_number(std::string_view what);  // an integer of 32 bits

  // The current token is a word, after a dot, that begins with a digit: reads it as .5, a number.
  void read_as_fraction();

  // The rest of the line after the token before the current one, with its comment.
  std::string_view rest_of_line() const;
  void skip_line();  // after the token before the current one, not looking at its tokens
  bool is_on_line_of_previous() const { return token_.line == previous_line_; }
  // The current token is `{`: the text from it to its `}`; the token after becomes the current
  // one.
  std::string_view skip_block();

  [[noreturn]] void fail(const std::string& what) const { throw Error(token_.line, what); }
  // "expected WHAT, but found TOKEN"
  [[noreturn]] void fail_expecting(std::string_view what) const;

 private:
  void skip_space();
  void read_number();
  void read_hexadecimal_float(const char* digits, int num_digits, Token::Kind kind);
  void read_decimal_float();
  void read_string();
  void set(Token::Kind kind, const char* begin, const char* end);

  Token token_;
  const char* position_;  // after the current token
  const char* const begin_;
  const char* const end_;     // points to a NUL
  const char* previous_end_;  // of the token before
  std::uint32_t line_ = 1;    // of position_
  std::uint32_t previous_line_ = 0;
};

// As a message shows it: in quotes, shortened, and without unprintable characters.
std::string quoted(std::string_view text);

}  // namespace ptx
