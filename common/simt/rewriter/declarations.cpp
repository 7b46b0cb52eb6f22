// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "rewrite.h"

namespace simt::rewriter {
namespace {

bool is_any_of(const Token& token, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return token.is(word); });
}

// The names that the declaration at code[i] declares, which may be a function's. Returns where it
// ends: at its `;`, or at the `{` of a body.
std::size_t add_declared(const Tokens& code, std::size_t i, std::vector<std::string_view>& names) {
  const Token* name = nullptr;
  const auto take_name = [&] {
    if (name != nullptr) names.push_back(name->text);
    name = nullptr;
  };
  bool has_parameters = false;
  for (; i < code.size() && !closes_bracket(code[i]); ++i) {
    if (code[i].is(";")) break;
    if (code[i].is("{") && has_parameters) break;
    if (code[i].is("=") || code[i].is(",") || code[i].is("{")) take_name();
    if (code[i].is("(")) {
      const bool is_specifier =
          i > 0 && is_any_of(code[i - 1], {"__attribute__", "alignas", "decltype", "__align__",
                                           "__launch_bounds__", "noexcept"});
      const bool is_pointer = i + 2 < code.size() && is_any_of(code[i + 1], {"*", "&"});
      if (is_pointer && code[i + 2].is_identifier()) name = &code[i + 2];
      if (!is_specifier) take_name();
      has_parameters = has_parameters || !is_specifier;
    }
    if (opens_bracket(code[i])) {
      if (code[i].is("[")) take_name();
      i = matching_close(code, i);
    } else if (code[i].is("<") && i > 0 && code[i - 1].is_identifier()) {
      const std::size_t angle = matching_angle(code, i);
      if (angle < code.size()) i = angle;
    } else if (code[i].is_identifier()) {
      name = &code[i];
    }
  }
  take_name();
  return i;
}

// Static variables of a function that runs on the device are the device's.
void add_statics(const Tokens& code, std::size_t open, std::vector<std::string_view>& names) {
  const std::size_t close = std::min(matching_close(code, open), code.size());
  for (std::size_t i = open + 1; i < close; ++i) {
    if (code[i].is("static")) add_declared(code, i + 1, names);
  }
}

}  // namespace

void find_device_variables(const Tokens& code, DeviceVariables& found) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_constant = code[i].is("__constant__");
    const bool is_other =
        is_any_of(code[i], {"__device__", "__managed__", "__shared__", "__global__"});
    if (!is_constant && !is_other) continue;
    auto& names = is_constant ? found.constant : found.device;
    const std::size_t end = add_declared(code, i + 1, names);
    if (end < code.size() && code[end].is("{")) add_statics(code, end, names);
  }
}

std::vector<std::size_t> find_classes(const Tokens& code) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!is_any_of(code[i], {"struct", "class", "union"})) continue;
    std::size_t name = i + 1;
    while (name + 1 < code.size() &&
           is_any_of(code[name], {"[", "alignas", "__align__", "__attribute__"})) {
      if (!opens_bracket(code[name])) ++name;
      name = std::min(matching_close(code, name), code.size() - 1) + 1;
    }
    const bool is_defined =
        name + 1 < code.size() && is_any_of(code[name + 1], {"{", ":", "final", "<"});
    if (is_defined) places.push_back(code[name].begin);
  }
  return places;
}

}  // namespace simt::rewriter
