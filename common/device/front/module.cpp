// SPDX-License-Identifier: MIT
#include "front/module.h"

#include <algorithm>
#include <cctype>

namespace front {
namespace {

constexpr std::string_view kBlank = " ";

bool is_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' ||
         letter == '$' || letter == '-';
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  const std::size_t end = text.find_last_not_of(kBlank) + 1;
  return begin < end ? text.substr(begin, end - begin) : std::string_view{};
}

// The word at the beginning of `text`, which is shortened to what follows.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

// The length of the name at the beginning of `text`, whose first letter is @ or %; 0: none.
std::size_t name_length(std::string_view text) {
  if (text.size() > 1 && text[1] == '"') {
    const std::size_t end = text.find('"', 2);
    return end == std::string_view::npos ? 0 : end + 1;
  }
  std::size_t end = 1;
  while (end < text.size() && is_in_name(text[end])) ++end;
  return end > 1 ? end : 0;
}

}  // namespace

Module::Module(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string& line = lines.back();
    if (line.starts_with("define ")) {
      const Call function(line);
      functions.push_back({std::string(function.callee), lines.size() - 1, lines.size()});
    } else if (line == "}" && !functions.empty()) {
      functions.back().end = lines.size();
    }
  }
}

std::string Module::text() const {
  std::string whole;
  for (const std::string& line : lines) whole.append(line).push_back('\n');
  return whole;
}

Instruction::Instruction(std::string_view line) {
  std::string_view rest = trimmed(line);
  if (rest.starts_with('%')) {
    result = rest.substr(0, name_length(rest));
    rest.remove_prefix(result.size());
    if (take_word(rest) != "=") return;
  }
  opcode = take_word(rest);
  if (rest.starts_with("volatile ")) take_word(rest);
  operands = split(rest);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  std::size_t at = 0;
  for (; at < text.size() && depth >= 0; ++at) {
    switch (text[at]) {
      case '"':
        at = std::min(text.find('"', at + 1), text.size() - 1);
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        ++depth;
        break;
      case ')':
      case ']':
      case '}':
      case '>':
        --depth;
        break;
      case ',':
        if (depth == 0) {
          parts.push_back(trimmed(text.substr(begin, at - begin)));
          begin = at + 1;
        }
        break;
      default:
        break;
    }
  }
  const std::size_t end = depth < 0 ? at - 1 : at;
  if (const auto last = trimmed(text.substr(begin, end - begin)); !last.empty()) {
    parts.push_back(last);
  }
  return parts;
}

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '@' && text[at] != '%') continue;
    const std::size_t length = name_length(text.substr(at));
    if (length == 0) continue;
    names.push_back(text.substr(at, length));
    at += length - 1;
  }
  return names;
}

Call::Call(std::string_view line) {
  const std::size_t at = line.find('@');
  if (at == std::string_view::npos) return;
  const std::string_view from = line.substr(at);
  const std::size_t length = name_length(from);
  if (length == 0 || length >= from.size() || from[length] != '(') return;
  callee = from.substr(0, length);
  arguments = split(from.substr(length + 1));
}

std::string_view pointer_in(std::string_view operand) {
  std::size_t at = operand.find_first_of("@%");
  for (const std::string_view expression : {"addrspacecast", "getelementptr"}) {
    at = std::min(at, operand.find(expression));
  }
  return operand.substr(std::min(at, operand.size()));
}

}  // namespace front
