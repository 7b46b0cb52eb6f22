// SPDX-License-Identifier: MIT
// CUDA C++ source, cut into tokens. Tokens refer to the source by position, so that a rewrite
// leaves all other bytes unchanged.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace simt::rewriter {

enum class TokenKind {
  kIdentifier,  // and keywords
  kNumber,
  kString,  // with prefix, and raw strings
  kCharacter,
  kPunctuator,  // one character, or one of :: -> ## ...
};

struct Token {
  TokenKind kind;
  std::size_t begin;  // byte offsets into the source: [begin, end)
  std::size_t end;
  std::string_view text;

  bool is(std::string_view what) const { return text == what && kind != TokenKind::kString; }
  bool is_identifier() const { return kind == TokenKind::kIdentifier; }
};

using Tokens = std::vector<Token>;

// A macro's definition: its parameters, and its body as a piece of code of its own.
struct Macro {
  std::vector<std::string_view> parameters;
  Tokens body;
};

// #include "name", or #include <name>
struct Include {
  std::string name;
  std::size_t begin;  // of the name, quotes or brackets and all
  std::size_t end;
  bool is_bracketed;
  std::size_t directive;  // where its '#' is
};

struct Source {
  std::string_view text;
  Tokens code;  // without comments, directives, and what lies in `#if 0`
  std::vector<Macro> macros;
  std::vector<Include> includes;

  int line_at(std::size_t offset) const;
};

// The source has a text that the rewriter cannot read. what() is one sentence without place or full
// stop.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(std::size_t offset, const std::string& what)
      : std::runtime_error(what), offset_(offset) {}
  std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};

// Throws SyntaxError for a string, raw string or comment that does not
// end. `text` must outlive the result.
Source lex(std::string_view text);

// The position of the bracket that closes the one at tokens[open], or tokens.size(). A caller that
// asks for each bracket of a file sets a limit: the file may have a million that nothing closes.
std::size_t matching_close(const Tokens& tokens, std::size_t open,
                           std::size_t most_tokens = static_cast<std::size_t>(-1));
// The position of the bracket that opens what tokens[close] closes, or tokens.size().
std::size_t matching_open(const Tokens& tokens, std::size_t close);
// tokens[open] is a '<' after a name: the position of the '>' that ends its template arguments, or
// tokens.size() if it is rather a comparison, or too long.
std::size_t matching_angle(const Tokens& tokens, std::size_t open);

// Whether tokens[at] is a '<' or '>' of <<, <= or >=, which never bracket template arguments.
bool is_of_operator(const Tokens& tokens, std::size_t at);

bool opens_bracket(const Token& token);   // ( [ {
bool closes_bracket(const Token& token);  // ) ] }

}  // namespace simt::rewriter
