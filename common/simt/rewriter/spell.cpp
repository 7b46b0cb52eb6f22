// SPDX-License-Identifier: MIT
#include <algorithm>

#include "rewrite.h"

namespace simt::rewriter {
namespace {

bool is_word(const Token& token) {
  return token.is_identifier() || token.kind == TokenKind::kNumber;
}

// The text as it stands between the quotes of a string literal.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string spell(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string result;
  for (std::size_t i = begin; i < end; ++i) {
    const bool touch = i > begin && tokens[i - 1].end == tokens[i].begin;
    const bool would_merge = i > begin && is_word(tokens[i - 1]) && is_word(tokens[i]);
    const bool after_comma = i > begin && tokens[i - 1].is(",");
    if (would_merge || (after_comma && !touch)) result += ' ';
    result += tokens[i].text;
  }
  return result;
}

std::string spell_name(const Tokens& tokens, std::size_t begin, std::size_t end,
                       const std::vector<std::string_view>& macro_parameters) {
  std::string result;
  std::size_t plain = begin;  // tokens from here to i are not parameters
  const auto flush = [&](std::size_t i) {
    if (plain == i) return;
    if (!result.empty()) result += ' ';
    result += '"' + escaped(spell(tokens, plain, i)) + '"';
  };
  for (std::size_t i = begin; i < end; ++i) {
    const bool is_parameter = std::find(macro_parameters.begin(), macro_parameters.end(),
                                        tokens[i].text) != macro_parameters.end();
    if (!is_parameter && !tokens[i].is("##")) continue;
    flush(i);
    plain = i + 1;
    if (is_parameter) result += (result.empty() ? "#" : " #") + std::string(tokens[i].text);
  }
  flush(end);
  return result;
}

std::string launch_site(const Tokens& tokens, std::size_t begin, std::size_t end,
                        const std::vector<std::string_view>& macro_parameters) {
  return "::simt::LaunchSite{" + spell_name(tokens, begin, end, macro_parameters) +
         ", __FILE__, __LINE__}";
}

}  // namespace simt::rewriter
