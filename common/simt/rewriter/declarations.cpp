// SPDX-License-Identifier: MIT
#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "rewrite.h"

namespace simt::rewriter {
namespace {

bool is_any_of(const Token& token, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return token.is(word); });
}

// For each opening bracket the place of the closing one, or the end. All at once: a search from
// each would take a time that grows with the square of a text of only opening ones.
std::vector<std::size_t> closing_brackets(const Tokens& code) {
  std::vector<std::size_t> closes(code.size(), code.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (opens_bracket(code[i])) {
      open.push_back(i);
    } else if (closes_bracket(code[i]) && !open.empty()) {
      closes[open.back()] = i;
      open.pop_back();
    }
  }
  return closes;
}

// The names that the declaration at code[i] declares, which may be a function's. Returns where it
// ends: at its `;`, or at the `{` of a body.
std::size_t add_declared(const Tokens& code, const std::vector<std::size_t>& closes, std::size_t i,
                         std::vector<std::string_view>& names) {
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
      i = closes[i];
    } else if (code[i].is("<") && i > 0 && code[i - 1].is_identifier()) {
      const std::size_t angle = matching_angle(code, i);
      if (angle < code.size()) i = angle;
    } else if (code[i].is_identifier()) {
      name = &code[i];
    }
  }
  take_name();
  return std::min(i, code.size());  // behind the end, if a bracket is not closed
}

}  // namespace

// In one pass, whatever the text: each declaration is read once, from its first specifier.
void find_device_variables(const Tokens& code, DeviceVariables& found) {
  const std::vector<std::size_t> closes = closing_brackets(code);
  std::size_t body_end = 0;  // of the device's functions so far, whose static variables are its own
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_static = i < body_end && code[i].is("static");
    if (!is_static && !is_any_of(code[i], {"__device__", "__managed__", "__shared__", "__global__",
                                           "__constant__"})) {
      continue;
    }
    std::vector<std::string_view> names;
    const std::size_t end = add_declared(code, closes, i + 1, names);
    bool is_constant = false;
    bool is_managed = false;
    const std::size_t begin = i;
    while (i < end && (i == begin || !code[i].is("{"))) {  // what is in braces is read next
      is_constant = is_constant || code[i].is("__constant__");
      is_managed = is_managed || code[i].is("__managed__");
      ++i;
    }
    auto& all = is_constant ? found.constant : is_managed ? found.managed : found.device;
    all.insert(all.end(), names.begin(), names.end());
    if (!is_static && end < code.size() && code[end].is("{")) {
      body_end = std::max(body_end, closes[end]);
    }
  }
}

std::vector<std::size_t> find_classes(const Tokens& code) {
  const std::vector<std::size_t> closes = closing_brackets(code);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!is_any_of(code[i], {"struct", "class", "union"})) continue;
    std::size_t name = i + 1;
    while (name + 1 < code.size() &&
           is_any_of(code[name], {"[", "alignas", "__align__", "__attribute__"})) {
      if (!opens_bracket(code[name])) ++name;
      name = opens_bracket(code[name]) ? closes[name] + 1 : name + 1;
    }
    const bool is_defined =
        name + 1 < code.size() && is_any_of(code[name + 1], {"{", ":", "final", "<"});
    if (is_defined) places.push_back(code[name].begin);
  }
  return places;
}

}  // namespace simt::rewriter
