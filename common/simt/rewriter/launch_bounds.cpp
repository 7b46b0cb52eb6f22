// SPDX-License-Identifier: MIT
#include "rewrite.h"

namespace simt::rewriter {
namespace {

// The '{' of the function whose declaration goes on at code[begin]; code.size() if it has no body
// here.
std::size_t body_begin(const Tokens& code, std::size_t begin) {
  bool has_parameters = false;
  for (std::size_t i = begin; i < code.size(); ++i) {
    if (code[i].is("{")) return has_parameters ? i : code.size();
    if (code[i].is(";") || closes_bracket(code[i])) break;
    if (!opens_bracket(code[i])) continue;
    has_parameters = has_parameters || code[i].is("(");
    i = matching_close(code, i);
  }
  return code.size();
}

}  // namespace

void rewrite_launch_bounds(const Tokens& code, Edits& edits) {
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!code[i].is("__launch_bounds__") || !code[i + 1].is("(")) continue;
    const std::size_t close = matching_close(code, i + 1);
    if (close == code.size() || close == i + 2) continue;
    const std::size_t body = body_begin(code, close + 1);
    if (body == code.size()) continue;
    edits.replace(code[body].begin, code[body].end,
                  "{::simt::check_launch_bounds(" + spell(code, i + 2, close) + ");");
  }
}

}  // namespace simt::rewriter
