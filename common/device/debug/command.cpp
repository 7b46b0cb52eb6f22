// SPDX-License-Identifier: MIT
#include "debug/command.h"

#include <algorithm>
#include <cstdlib>

namespace debug {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// Cuts the next string or number off. The front end escapes only quotes and backslashes in
// what it sends: names of functions and files.
std::string take(std::string_view& text) {
  std::string word;
  if (!text.starts_with('"')) {
    const std::size_t end = text.find_first_of(",}: \t\r\n");
    word = text.substr(0, end);
    text.remove_prefix(word.size());
    return word;
  }
  std::size_t i = 1;
  for (; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    word += text[i];
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return word;
}

void skip(std::string_view& text, std::string_view letters) {
  text.remove_prefix(std::min(text.find_first_not_of(letters), text.size()));
}

}  // namespace

Command::Command(std::string_view json) {
  skip(json, kSpaces);
  if (!json.starts_with('{')) return;
  json.remove_prefix(1);
  for (;;) {
    skip(json, " \t\r\n,:");
    if (json.empty() || json.front() == '}') return;
    const std::size_t before = json.size();
    const std::string name = take(json);
    skip(json, " \t\r\n:");
    members_[name] = take(json);
    if (json.size() == before) return;
  }
}

std::string Command::text(const std::string& name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? "" : found->second;
}

std::uint64_t Command::number(const std::string& name) const {
  return std::strtoull(text(name).c_str(), nullptr, 10);
}

}  // namespace debug
