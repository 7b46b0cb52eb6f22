// SPDX-License-Identifier: MIT
#include <algorithm>

#include "rewrite.h"

namespace simt::rewriter {
namespace {

constexpr std::size_t kMostInBrackets = 100;  // in the brackets of an attribute or a cast

// [begin, end) of an expression, in tokens.
struct Range {
  std::size_t begin;
  std::size_t end;
};

// The argument that begins at code[begin], up to its comma or the call's bracket.
Range first_argument(const Tokens& code, std::size_t begin) {
  std::size_t end = begin;
  while (end < code.size() && !code[end].is(",") && !closes_bracket(code[end])) {
    const std::size_t angle = code[end].is("<") ? matching_angle(code, end) : code.size();
    if (opens_bracket(code[end])) {
      end = matching_close(code, end);
    } else if (angle != code.size()) {
      end = angle;
    }
    if (end < code.size()) ++end;
  }
  return {begin, end};
}

// Whether tokens[open] opens the cast (void*), (const void *) or the like.
bool is_void_pointer(const Tokens& code, std::size_t begin, std::size_t end) {
  bool names_void = false;
  for (std::size_t i = begin; i < end; ++i) {
    names_void = names_void || code[i].is("void");
    if (!code[i].is("void") && !code[i].is("const") && !code[i].is("*")) return false;
  }
  return names_void;
}

// What is cast to void*: kernel of (void*)kernel, (void*)&kernel, reinterpret_cast<void*>(kernel).
Range without_cast(const Tokens& code, Range expression) {
  auto [begin, end] = expression;
  if (code[begin].is("reinterpret_cast") || code[begin].is("static_cast")) {
    const std::size_t angle = matching_angle(code, begin + 1);
    if (angle + 1 < end && code[angle + 1].is("(")) begin = angle + 2, end = end - 1;
  } else if (code[begin].is("(")) {
    const std::size_t close = matching_close(code, begin);
    if (close < end && is_void_pointer(code, begin + 1, close)) begin = close + 1;
  }
  if (begin < end && code[begin].is("&")) ++begin;
  return {begin, end};
}

}  // namespace

void rewrite_kernel_pointers(const Tokens& code,
                             const std::vector<std::string_view>& macro_parameters, Edits& edits) {
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    const bool cooperative = code[i].is("cudaLaunchCooperativeKernel");
    if ((!cooperative && !code[i].is("cudaLaunchKernel")) || !code[i + 1].is("(")) continue;
    const Range argument = first_argument(code, i + 2);
    if (argument.end >= code.size() || !code[argument.end].is(",")) {
      throw SyntaxError(code[i].begin, std::string(code[i].text) + " without its arguments");
    }
    const Range kernel = without_cast(code, argument);
    if (kernel.begin == kernel.end) continue;
    const bool is_global = i > 0 && code[i - 1].is("::");
    edits.replace(code[is_global ? i - 1 : i].begin, code[argument.end - 1].end,
                  " ::simt::launch_by_pointer(" +
                      launch_site(code, kernel.begin, kernel.end, macro_parameters) +
                      (cooperative ? ", true, " : ", false, ") +
                      spell(code, kernel.begin, kernel.end));
  }
}

void find_kernels(const Tokens& code, std::set<std::string, std::less<>>& found) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("__global__")) continue;
    std::size_t open = i + 1;  // the bracket of the parameters
    while (open < code.size() && !code[open].is(";") && !code[open].is("{") &&
           !code[open].is("__global__")) {
      const bool is_attribute = code[open].is("__launch_bounds__") ||
                                code[open].is("__attribute__") || code[open].is("__maxnreg__") ||
                                code[open].is("__cluster_dims__") || code[open].is("alignas");
      if (code[open].is("(") && !is_attribute) break;
      if (is_attribute && open + 1 < code.size())
        open = matching_close(code, open + 1, kMostInBrackets);
      ++open;
    }
    if (open < code.size() && code[open].is("(") && code[open - 1].is_identifier()) {
      found.emplace(code[open - 1].text);
    }
  }
}

void rewrite_kernel_addresses(const Tokens& code, const std::set<std::string, std::less<>>& kernels,
                              const std::vector<std::string_view>& macro_parameters, Edits& edits) {
  for (std::size_t i = 0; i + 3 < code.size(); ++i) {
    const bool is_cast = code[i].is("reinterpret_cast") && code[i + 1].is("<");
    if (!is_cast && !code[i].is("(")) continue;
    const std::size_t close =
        is_cast ? matching_angle(code, i + 1) : matching_close(code, i, kMostInBrackets);
    if (close + 1 >= code.size() || !is_void_pointer(code, i + (is_cast ? 2 : 1), close)) continue;
    if (is_cast && !code[close + 1].is("(")) continue;
    std::size_t begin = close + (is_cast ? 2 : 1);
    if (begin < code.size() && code[begin].is("&")) ++begin;
    std::size_t name = begin;
    while (name + 2 < code.size() && code[name + 1].is("::")) name += 2;
    if (name >= code.size() || kernels.find(code[name].text) == kernels.end()) continue;
    std::size_t end = name + 1;
    if (end < code.size() && code[end].is("<")) end = matching_angle(code, end) + 1;
    if (end >= code.size() || code[end].is("(")) continue;
    const std::size_t last = is_cast ? end : end - 1;
    if (is_cast && !code[end].is(")")) continue;
    if (edits.touches(code[i].begin, code[last].end)) continue;
    edits.replace(code[i].begin, code[last].end,
                  "::simt::kernel_address(" + launch_site(code, begin, end, macro_parameters) +
                      ", " + spell(code, begin, end) + ")");
  }
}

}  // namespace simt::rewriter
