// SPDX-License-Identifier: MIT
#include "ptx/source_line.h"

#include <algorithm>
#include <string_view>

#include "ptx/lexer.h"
#include "ptx/places.h"

namespace ptx {

namespace {

// Takes the first line from `text`, and returns it without the space before it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

bool is_directive(std::string_view line, std::string_view name) {
  return line.starts_with(name) && line.size() > name.size() &&
         (line[name.size()] == ' ' || line[name.size()] == '\t');
}

bool begins_function(std::string_view line) {
  for (const char* const word : {".entry", ".func", ".visible", ".weak", ".extern"}) {
    if (is_directive(line, word)) return true;
  }
  return false;
}

// A Lexer needs the NUL after the text, so it gets all of the rest.
std::string_view rest_from(std::string_view line, const std::string& text) {
  return std::string_view(text).substr(static_cast<std::size_t>(line.data() - text.data()));
}

std::string path_of(const std::string& text, std::uint32_t number) {
  Module files;
  Places places(files);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!is_directive(line, ".file")) continue;
    try {
      Lexer lexer(rest_from(line, text));
      places.parse_file(lexer);
    } catch (const Error&) {
      continue;
    }
    if (files.files.size() > number && !files.files[number].empty()) return files.files[number];
  }
  return "";
}

}  // namespace

SourceLine source_of(const std::string& text, std::uint32_t text_line) {
  std::string_view rest = text;
  std::string_view location;
  for (std::uint32_t line = 1; line <= text_line && !rest.empty(); ++line) {
    const std::string_view content = take_line(rest);
    if (begins_function(content)) location = {};
    if (is_directive(content, ".loc")) location = content;
  }
  if (location.empty()) return {};
  try {
    Lexer lexer(rest_from(location, text));
    lexer.next();
    const std::uint32_t file = lexer.expect_number("a file");
    const std::uint32_t line = lexer.expect_number("a line");
    const std::string path = path_of(text, file);
    return path.empty() ? SourceLine{} : SourceLine{path, line};
  } catch (const Error&) {
    return {};
  }
}

}  // namespace ptx
