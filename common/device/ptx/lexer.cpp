// SPDX-License-Identifier: MIT
#include "ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>

namespace ptx {

namespace {

constexpr std::uint8_t kIsName = 1;
constexpr std::uint8_t kIsNameStart = 2;
constexpr std::uint8_t kIsDigit = 4;
constexpr std::uint8_t kIsSpace = 8;

constexpr std::array<std::uint8_t, 256> classes = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const bool is_digit = c >= '0' && c <= '9';
    // Names of functions in UTF-8 pass as clang writes them.
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    if (is_digit || is_letter || c == '_' || c == '$') table[c] |= kIsName;
    if (is_letter || c == '_' || c == '$' || c == '%') table[c] |= kIsNameStart;
    if (is_digit) table[c] |= kIsDigit;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') table[c] |= kIsSpace;
  }
  return table;
}();

bool has_class(char c, std::uint8_t wanted) {
  return (classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

const char* end_of_name(const char* p) {
  while (has_class(*p, kIsName)) ++p;
  return p;
}

// 16: not a digit of any base.
unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kMaxShown = 60;
  std::string shown = "\"";
  for (const char c : text.substr(0, kMaxShown)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  if (text.size() > kMaxShown) shown += "...";
  return shown + '"';
}

Lexer::Lexer(std::string_view text)
    : position_(text.data()),
      begin_(text.data()),
      end_(text.data() + text.size()),
      previous_end_(text.data()) {
  next();
}

void Lexer::set(Token::Kind kind, const char* begin, const char* end) {
  token_.kind = kind;
  token_.mark = 0;
  token_.text = std::string_view(begin, static_cast<std::size_t>(end - begin));
  position_ = end;
}

void Lexer::skip_space() {
  const char* p = position_;
  for (;;) {
    while (has_class(*p, kIsSpace)) ++p;
    if (*p == '\n') {
      ++line_;
      ++p;
    } else if (*p == '/' && p[1] == '/') {
      const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end_ - p));
      p = newline == nullptr ? end_ : static_cast<const char*>(newline);
    } else if (*p == '/' && p[1] == '*') {
      const std::uint32_t first_line = line_;
      for (p += 2; p[0] != '*' || p[1] != '/'; ++p) {
        if (p >= end_) throw Error(first_line, "the comment /* has no end");
        if (*p == '\n') ++line_;
      }
      p += 2;
    } else {
      break;
    }
  }
  position_ = p;
}

void Lexer::next() {
  previous_end_ = position_;
  previous_line_ = token_.line;
  skip_space();
  const char* p = position_;
  token_.line = line_;
  if (has_class(*p, kIsNameStart)) {
    set(Token::Kind::kName, p, end_of_name(p + 1));
  } else if (*p == '.' && has_class(p[1], kIsName)) {
    const char* end = end_of_name(p + 1);
    while (end[0] == ':' && end[1] == ':') end = end_of_name(end + 2);
    set(Token::Kind::kDotWord, p + 1, end);
  } else if (has_class(*p, kIsDigit)) {
    read_number();
  } else if (*p == '"') {
    read_string();
  } else if (p == end_) {
    set(Token::Kind::kEnd, p, p);
  } else {
    const auto byte = static_cast<unsigned char>(*p);
    if (byte < 0x20 || byte == 0x7f) {
      fail("the text has a byte " + std::to_string(byte) + ", which no PTX has; is it PTX?");
    }
    set(Token::Kind::kMark, p, p + 1);
    token_.mark = *p;
  }
}

void Lexer::read_number() {
  const char* const begin = position_;
  const char* p = begin;
  unsigned base = 10;
  if (p[0] == '0') {
    switch (p[1]) {
      case 'f':
      case 'F':
        return read_hexadecimal_float(p + 2, 8, Token::Kind::kFloat32);
      case 'd':
      case 'D':
        return read_hexadecimal_float(p + 2, 16, Token::Kind::kFloat64);
      case 'x':
      case 'X':
        base = 16;
        p += 2;
        break;
      case 'b':
      case 'B':
        base = 2;
        p += 2;
        break;
      default:
        // "0" and "0.5" are decimal.
        base = has_class(p[1], kIsDigit) ? 8 : 10;
    }
  }
  if (base == 10 || base == 8) {
    const char* q = p;
    while (has_class(*q, kIsDigit)) ++q;
    if (*q == '.' || *q == 'e' || *q == 'E') return read_decimal_float();
  }
  const char* const digits = p;
  std::uint64_t value = 0;
  for (; digit_value(*p) < base; ++p) {
    if (value > (UINT64_MAX - digit_value(*p)) / base) fail("a number does not fit in 64 bits");
    value = value * base + digit_value(*p);
  }
  const bool has_digits = p != digits;
  token_.is_unsigned = *p == 'U' || value > INT64_MAX;
  if (*p == 'U') ++p;
  if (!has_digits || has_class(*p, kIsName)) {
    const std::string_view text(begin, static_cast<std::size_t>(end_of_name(p) - begin));
    fail(quoted(text) + " is not a number");
  }
  set(Token::Kind::kInteger, begin, p);
  token_.bits = value;
}

void Lexer::read_hexadecimal_float(const char* digits, int num_digits, Token::Kind kind) {
  std::uint64_t value = 0;
  int num_read = 0;
  for (; num_read < num_digits && digit_value(digits[num_read]) < 16; ++num_read) {
    value = value << 4 | digit_value(digits[num_read]);
  }
  if (num_read < num_digits || has_class(digits[num_digits], kIsName)) {
    fail("a number that begins with " + quoted(std::string_view(position_, 2)) + " has " +
         std::to_string(num_digits) + " hexadecimal digits after it, for all bits of the value");
  }
  set(kind, position_, digits + num_digits);
  token_.bits = value;
}

void Lexer::read_decimal_float() {
  double value = 0;
  const auto [end, error] = std::from_chars(position_, end_, value);
  if (error != std::errc() || has_class(*end, kIsName)) {
    fail(quoted(
             std::string_view(position_, static_cast<std::size_t>(end_of_name(end) - position_))) +
         " is not a floating-point number of 64 bits");
  }
  set(Token::Kind::kFloat64, position_, end);
  token_.bits = std::bit_cast<std::uint64_t>(value);
}

void Lexer::read_as_fraction() {
  position_ = token_.text.data() - 1;
  read_decimal_float();
}

void Lexer::read_string() {
  const char* const begin = position_ + 1;
  const char* p = begin;
  for (; *p != '"'; ++p) {
    if (*p == '\\' && p + 1 < end_) ++p;
    if (p >= end_ || *p == '\n') fail("a string has no closing quote on its line");
  }
  set(Token::Kind::kString, begin, p);
  ++position_;
}

bool Lexer::touches_previous() const {
  const char* begin = token_.text.data();
  if (token_.kind == Token::Kind::kDotWord || token_.kind == Token::Kind::kString) --begin;
  return begin == previous_end_;
}

bool Lexer::accept(char mark) {
  if (token_.mark != mark) return false;
  next();
  return true;
}

void Lexer::expect(char mark, std::string_view where) {
  if (!is(mark)) fail_expecting(std::string("'") + mark + "' " + std::string(where));
  next();
}

std::string_view Lexer::expect_name(std::string_view what) {
  if (!is(Token::Kind::kName)) fail_expecting(what);
  const std::string_view name = token_.text;
  next();
  return name;
}

std::uint32_t Lexer::expect_number(std::string_view what) {
  if (!is(Token::Kind::kInteger)) fail_expecting(what);
  if (token_.bits > UINT32_MAX) fail(std::string(what) + " must fit in 32 bits");
  const auto value = static_cast<std::uint32_t>(token_.bits);
  next();
  return value;
}

std::string_view Lexer::rest_of_line() const {
  const auto num_left = static_cast<std::size_t>(end_ - previous_end_);
  const void* newline = std::memchr(previous_end_, '\n', num_left);
  const char* end = newline == nullptr ? end_ : static_cast<const char*>(newline);
  return {previous_end_, static_cast<std::size_t>(end - previous_end_)};
}

void Lexer::skip_line() {
  const std::string_view rest = rest_of_line();
  position_ = rest.data() + rest.size();
  line_ = previous_line_;
  next();
}

std::string_view Lexer::skip_block() {
  const char* const begin = token_.text.data();
  const std::uint32_t first_line = token_.line;
  int depth = 0;
  for (const char* p = begin; p < end_; ++p) {
    if (*p == '\n') {
      ++line_;
    } else if (*p == '{') {
      ++depth;
    } else if (*p == '/' && p[1] == '/') {
      // Comments of DWARF quote names, and names may have braces.
      const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end_ - p));
      if (newline == nullptr) break;
      p = static_cast<const char*>(newline) - 1;
    } else if (*p == '}' && --depth == 0) {
      position_ = p + 1;
      next();
      return {begin, static_cast<std::size_t>(p + 1 - begin)};
    }
  }
  throw Error(first_line, "the block { has no }; is the text complete?");
}

void Lexer::fail_expecting(std::string_view what) const {
  std::string found;
  switch (token_.kind) {
    case Token::Kind::kEnd:
      found = "the end of the text; is it complete?";
      break;
    case Token::Kind::kDotWord:
      found = quoted("." + std::string(token_.text.substr(0, 80)));
      break;
    case Token::Kind::kString:
      found = "the string " + quoted(token_.text);
      break;
    default:
      found = quoted(token_.text);
  }
  fail("expected " + std::string(what) + ", but found " + found);
}

}  // namespace ptx
