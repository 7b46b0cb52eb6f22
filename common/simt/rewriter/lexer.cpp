// SPDX-License-Identifier: MIT
// The lexer: comments, line continuations, all kinds of literals, and preprocessor lines. Works on
// bytes; whatever is not ASCII counts as part of an identifier.
#include <algorithm>
#include <cctype>
#include <optional>

#include "token.h"

namespace simt::rewriter {
namespace {

bool is_identifier_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_identifier_part(char c) { return is_identifier_start(c) || is_digit(c); }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { source_.text = text; }

  Source run() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") position_ = 3;
    bool at_line_start = true;
    while (skip_blanks()) {
      const char c = text_[position_];
      if (c == '\n') {
        ++position_;
        at_line_start = true;
      } else if (c == '#' && at_line_start) {
        directive();
      } else {
        const Token token = next();
        if (!skipping()) source_.code.push_back(token);
        at_line_start = false;
      }
    }
    return std::move(source_);
  }

 private:
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  bool starts_with(std::string_view what) const {
    return text_.compare(position_, what.size(), what) == 0;
  }

  // The length of a line continuation at `position`: a backslash and a line's end. Else 0.
  std::size_t continuation(std::size_t position) const {
    if (at(position) != '\\') return 0;
    if (at(position + 1) == '\n') return 2;
    return at(position + 1) == '\r' && at(position + 2) == '\n' ? 3 : 0;
  }

  // Skips blanks, comments and continued line ends. Returns whether there is anything left.
  bool skip_blanks() {
    while (position_ < text_.size()) {
      if (is_space(text_[position_])) {
        ++position_;
      } else if (const std::size_t length = continuation(position_); length != 0) {
        position_ += length;
      } else if (starts_with("//")) {
        skip_to_line_end();
      } else if (starts_with("/*")) {
        const std::size_t end = text_.find("*/", position_ + 2);
        if (end == text_.npos) throw SyntaxError(position_, "comment without its end");
        position_ = end + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_to_line_end() {
    while (position_ < text_.size() && text_[position_] != '\n') {
      position_ += std::max<std::size_t>(1, continuation(position_));
    }
  }

  // Whether the code here is dead: inside `#if 0`.
  bool skipping() const { return num_dead_groups_ > 0; }

  void open_group(bool is_dead) {
    dead_groups_.push_back(is_dead);
    num_dead_groups_ += is_dead ? 1 : 0;
  }

  void close_group() {
    if (dead_groups_.empty()) return;
    num_dead_groups_ -= dead_groups_.back() ? 1 : 0;
    dead_groups_.pop_back();
  }

  Token make(TokenKind kind, std::size_t end) {
    const std::size_t begin = position_;
    position_ = end;
    return {kind, begin, end, text_.substr(begin, end - begin)};
  }

  // The token at position_, which is neither a blank nor the end.
  Token next() {
    const char c = text_[position_];
    if (is_identifier_start(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)))) return number();
    if (c == '"') return string(position_);
    if (c == '\'') return character(position_);
    for (const std::string_view symbol : {"::", "->", "##", "..."}) {
      if (starts_with(symbol)) return make(TokenKind::kPunctuator, position_ + symbol.size());
    }
    return make(TokenKind::kPunctuator, position_ + 1);
  }

  // An identifier, or a literal with a prefix.
  Token word() {
    std::size_t end = position_;
    while (is_identifier_part(at(end))) ++end;
    const std::string_view text = text_.substr(position_, end - position_);
    const bool is_raw =
        text == "R" || text == "LR" || text == "uR" || text == "UR" || text == "u8R";
    const bool is_prefix = text == "L" || text == "u" || text == "U" || text == "u8";
    if (is_raw && at(end) == '"') return raw_string(end);
    if (is_prefix && at(end) == '"') return string(end);
    if (is_prefix && at(end) == '\'') return character(end);
    return make(TokenKind::kIdentifier, end);
  }

  // A "preprocessing number": digits, letters, points, signs of exponents, and separators.
  Token number() {
    std::size_t end = position_ + 1;
    for (;; ++end) {
      const char c = at(end);
      const char before = at(end - 1);
      const bool is_sign = (c == '+' || c == '-') &&
                           (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool is_separator = c == '\'' && is_identifier_part(at(end + 1));
      if (!is_identifier_part(c) && c != '.' && !is_sign && !is_separator) break;
    }
    return make(TokenKind::kNumber, end);
  }

  // The position after a literal's closing quote, or nothing if the line ends before it.
  std::optional<std::size_t> literal_end(std::size_t quote) const {
    for (std::size_t i = quote + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == text_[quote]) return i + 1;
      if (text_[i] == '\\') i += std::max<std::size_t>(2, continuation(i)) - 1;
    }
    return std::nullopt;
  }

  Token string(std::size_t quote) {
    const auto end = literal_end(quote);
    if (end) return make(TokenKind::kString, *end);
    // Prose in dead code and in #error lines need not be C++.
    if (skipping() || in_prose_) return make(TokenKind::kPunctuator, quote + 1);
    throw SyntaxError(position_, "string without its closing quote");
  }

  // A single apostrophe is left to the compiler.
  Token character(std::size_t quote) {
    const auto end = literal_end(quote);
    return end ? make(TokenKind::kCharacter, *end) : make(TokenKind::kPunctuator, quote + 1);
  }

  Token raw_string(std::size_t quote) {
    const std::size_t open = text_.find('(', quote);
    if (open != text_.npos && open - quote - 1 <= 16) {
      const std::string close = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
      const std::size_t end = text_.find(close, open);
      if (end != text_.npos) return make(TokenKind::kString, end + close.size());
    }
    throw SyntaxError(position_, "raw string without its end");
  }

  // A preprocessor line, from its '#' to the end of its last continued line.
  void directive() {
    const std::size_t begin = position_++;
    Tokens line;
    std::string_view name;
    while (skip_blanks() && text_[position_] != '\n') {
      line.push_back(next());
      if (line.size() == 1) name = line[0].text;
      in_prose_ = name == "error" || name == "warning" || name == "pragma";
    }
    in_prose_ = false;
    if (name.substr(0, 2) == "if") {
      open_group(name == "if" && line.size() == 2 && line[1].is("0"));
    } else if (name == "else" || name.substr(0, 4) == "elif") {
      close_group();
      open_group(false);
    } else if (name == "endif") {
      close_group();
    } else if (name == "define" && line.size() > 1 && !skipping()) {
      define(line);
    } else if (name == "include" && line.size() > 1 && !skipping()) {
      const bool is_bracketed = line[1].is("<") && line.back().is(">");
      if (!is_bracketed && (line.size() > 2 || line[1].kind != TokenKind::kString)) return;
      const std::size_t first = line[1].begin, last = line.back().end;
      source_.includes.push_back({std::string(text_.substr(first + 1, last - first - 2)), first,
                                  last, is_bracketed, begin});
    }
  }

  // line: define NAME body..., or define NAME(parameters) body... without a blank before the '('.
  void define(const Tokens& line) {
    Macro macro;
    std::size_t body = 2;
    if (line.size() > 2 && line[2].is("(") && line[2].begin == line[1].end) {
      body = std::min(matching_close(line, 2), line.size() - 1) + 1;
      for (std::size_t i = 3; i < body; ++i) {
        if (line[i].is_identifier()) macro.parameters.push_back(line[i].text);
        if (line[i].is("...")) macro.parameters.push_back("__VA_ARGS__");
      }
    }
    macro.body.assign(line.begin() + static_cast<std::ptrdiff_t>(body), line.end());
    source_.macros.push_back(std::move(macro));
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<bool> dead_groups_;  // for each open #if: whether the current group is an `#if 0`
  int num_dead_groups_ = 0;
  bool in_prose_ = false;
  Source source_;
};

}  // namespace

Source lex(std::string_view text) { return Lexer(text).run(); }

}  // namespace simt::rewriter
