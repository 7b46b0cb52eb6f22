// SPDX-License-Identifier: MIT
#include "token.h"

#include <algorithm>

namespace simt::rewriter {

int Source::line_at(std::size_t offset) const {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

bool opens_bracket(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }

bool closes_bracket(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

std::size_t matching_close(const Tokens& tokens, std::size_t open, std::size_t most_tokens) {
  const std::size_t end = open + std::min(most_tokens, tokens.size() - open);
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    if (opens_bracket(tokens[i])) ++depth;
    if (closes_bracket(tokens[i]) && --depth == 0) return i;
  }
  return tokens.size();
}

std::size_t matching_open(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (closes_bracket(tokens[i])) ++depth;
    if (opens_bracket(tokens[i]) && --depth == 0) return i;
  }
  return tokens.size();
}

bool is_of_operator(const Tokens& tokens, std::size_t at) {
  const auto are_joined = [&](std::size_t first, std::string_view left, std::string_view right) {
    return first + 1 < tokens.size() && tokens[first].is(left) && tokens[first + 1].is(right) &&
           tokens[first].end == tokens[first + 1].begin;
  };
  return are_joined(at, "<", "<") || (at > 0 && are_joined(at - 1, "<", "<")) ||
         are_joined(at, "<", "=") || are_joined(at, ">", "=");
}

std::size_t matching_angle(const Tokens& tokens, std::size_t open) {
  // A limit, because a file of only '<' would take too long.
  constexpr std::size_t kMostTokens = 100;
  int depth = 0;
  for (std::size_t i = open; i < std::min(tokens.size(), open + kMostTokens); ++i) {
    if (opens_bracket(tokens[i])) {
      i = matching_close(tokens, i);
    } else if (is_of_operator(tokens, i)) {
      if (i == open) break;
    } else if (tokens[i].is("<")) {
      ++depth;
    } else if (tokens[i].is(">")) {
      if (--depth == 0) return i;
    } else if (tokens[i].is(";") || closes_bracket(tokens[i])) {
      break;
    }
  }
  return tokens.size();
}

}  // namespace simt::rewriter
