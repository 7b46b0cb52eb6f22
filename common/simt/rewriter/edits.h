// SPDX-License-Identifier: MIT
// Changes to a source text, each to a range of its bytes.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

namespace simt::rewriter {

class Edits {
 public:
  explicit Edits(std::string_view text) : text_(text) {}

  // Puts `replacement` in the place of [begin, end). Line ends of the replaced text follow it, so
  // that no later line changes its number. Of edits that overlap, the one that begins first counts:
  // in code that is no CUDA, a launch may contain anything.
  void replace(std::size_t begin, std::size_t end, const std::string& replacement) {
    edits_[begin] = {end, replacement + line_ends(text_.substr(begin, end - begin))};
  }

  void insert(std::size_t position, const std::string& text) { replace(position, position, text); }

  // Whether a part of [begin, end) is replaced already.
  bool touches(std::size_t begin, std::size_t end) const {
    const auto next = edits_.lower_bound(end);
    return next != edits_.begin() && std::prev(next)->second.end > begin;
  }

  bool empty() const { return edits_.empty(); }

  std::string apply() const {
    std::string result;
    std::size_t position = 0;
    for (const auto& [begin, edit] : edits_) {
      if (begin < position) continue;
      result.append(text_, position, begin - position).append(edit.replacement);
      position = edit.end;
    }
    return result.append(text_, position);
  }

 private:
  struct Edit {
    std::size_t end;
    std::string replacement;
  };

  // A macro's body stays one: continued line ends remain continued.
  static std::string line_ends(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\n') continue;
      const std::size_t before = i > 0 && text[i - 1] == '\r' ? i - 1 : i;
      if (before > 0 && text[before - 1] == '\\') result += '\\';
      result += '\n';
    }
    return result;
  }

  std::string_view text_;
  std::map<std::size_t, Edit> edits_;  // by where they begin
};

}  // namespace simt::rewriter
