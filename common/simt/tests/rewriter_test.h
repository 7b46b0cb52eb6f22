// SPDX-License-Identifier: MIT
// What the rewriter's tests share.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "../rewriter/rewrite.h"

namespace simt::rewriter {

inline std::string rewritten(std::string_view text) {
  Edits edits(text);
  const Source source = lex(text);
  std::set<std::string, std::less<>> kernels;
  find_kernels(source.code, kernels);
  rewrite_all(source, kernels, edits);
  return edits.apply();
}

// "LINE: what is wrong", or nothing.
inline std::string error_of(std::string_view text) {
  try {
    rewritten(text);
  } catch (const SyntaxError& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(error.offset());
    return std::to_string(1 + std::count(text.begin(), end, '\n')) + ": " + error.what();
  }
  return "";
}

// What kernel<<<configuration>>>(arguments) is rewritten to. `name`: the expression for its name.
inline std::string launch(const std::string& kernel, const std::string& configuration,
                          const std::string& arguments, const std::string& name = "") {
  const std::string site = name.empty() ? '"' + kernel + '"' : name;
  return " ::simt::launch(::simt::LaunchSite{" + site + ", __FILE__, __LINE__}, " +
         "::simt::LaunchConfig(" + configuration + "), [&](auto... simt_args) {" + kernel +
         "(simt_args...);}" + (arguments.empty() ? "" : ", ") + arguments + ")";
}

// The line, from 1, on which `what` stands first.
inline int line_of(const std::string& text, const std::string& what) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(what));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

}  // namespace simt::rewriter
