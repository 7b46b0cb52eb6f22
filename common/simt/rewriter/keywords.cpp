// SPDX-License-Identifier: MIT
#include "rewrite.h"

namespace simt::rewriter {
namespace {

// extern "C" __global__ ..., or extern "C" __device__ ... that the host does not have.
bool names_only_the_device(const Tokens& code, std::size_t i) {
  if (i + 3 >= code.size() || !code[i].is("extern")) return false;
  if (code[i + 1].text != "\"C\"") return false;
  return code[i + 2].is("__global__") ||
         (code[i + 2].is("__device__") && !code[i + 3].is("__host__"));
}

}  // namespace

void rewrite_keywords(const Tokens& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (names_only_the_device(code, i)) {
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
