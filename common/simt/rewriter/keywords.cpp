// SPDX-License-Identifier: MIT
#include "rewrite.h"

namespace simt::rewriter {

void rewrite_keywords(const Tokens& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("__noinline__")) continue;
    const bool is_attribute =
        i > 0 && (code[i - 1].is("(") || code[i - 1].is(",") || code[i - 1].is("::"));
    if (!is_attribute) {
      edits.replace(code[i].begin, code[i].end, "__attribute__((noinline))");
    }
  }
}

}  // namespace simt::rewriter
