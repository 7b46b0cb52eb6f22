// SPDX-License-Identifier: MIT
#include "search.h"

#include <algorithm>
#include <utility>

namespace judge {
namespace {

// Whether the text says "line 31", and not "line 310".
bool names_line(const std::string& text, int line) {
  const std::string words = "line " + std::to_string(line);
  for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') return true;
  }
  return false;
}

}  // namespace

Search::Search(Sought sought)
    : sought_(std::move(sought)),
      has_line_(sought_.line == 0),
      has_message_(sought_.message.empty()) {}

bool Search::is_sought(const std::string& kind) const {
  return std::ranges::find(sought_.kinds, kind) != sought_.kinds.end();
}

void Search::see(const Failure& failure) {
  has_kind_ = has_kind_ || is_sought(failure.kind);
  has_message_ = has_message_ || failure.message.find(sought_.message) != std::string::npos;
}

void Search::see(const wire::Finding& finding) {
  if (!is_sought(finding.kind)) return;
  has_kind_ = true;
  has_message_ = has_message_ || finding.message.find(sought_.message) != std::string::npos;
  // A race has two places, and which of them comes first is a matter of chance.
  has_line_ = has_line_ || finding.line == sought_.line ||
              (finding.kind == "race" && names_line(finding.message, sought_.line));
}

}  // namespace judge
