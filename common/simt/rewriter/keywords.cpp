// SPDX-License-Identifier: MIT
#include "rewrite.h"

namespace simt::rewriter {
namespace {

// extern "C" __global__ ... Not before __device__: extern "C" __device__ int x; declares a variable
// that another file defines.
bool names_a_kernel(const Tokens& code, std::size_t i) {
  return i + 2 < code.size() && code[i].is("extern") && code[i + 1].text == "\"C\"" &&
         code[i + 2].is("__global__");
}

}  // namespace

void rewrite_keywords(const Tokens& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (names_a_kernel(code, i)) {
      edits.replace(code[i].begin, code[i].end, "");
      edits.replace(code[i + 1].begin, code[i + 1].end, "");
    }
    if (!code[i].is("__noinline__")) continue;
    const bool is_attribute =
        i > 0 && (code[i - 1].is("(") || code[i - 1].is(",") || code[i - 1].is("::"));
    if (!is_attribute) {
      edits.replace(code[i].begin, code[i].end, "__attribute__((noinline))");
    }
  }
}

}  // namespace simt::rewriter
