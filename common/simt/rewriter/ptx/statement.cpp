// SPDX-License-Identifier: MIT
#include "ptx/statement.h"

#include <algorithm>
#include <utility>

namespace simt::rewriter::ptx {

bool Words::has(std::string_view word) const {
  return std::find(all_.begin(), all_.end(), word) != all_.end();
}

std::string Words::one_of(std::initializer_list<std::string_view> words) const {
  for (const std::string_view word : words) {
    if (has(word)) return std::string(word);
  }
  return "";
}

Strings Words::types() const {
  Strings found;
  for (const std::string& word : all_) {
    if (std::string type = type_of(word); !type.empty()) found.push_back(std::move(type));
  }
  return found;
}

bool Words::only(std::initializer_list<std::string_view> words) const {
  return std::all_of(all_.begin(), all_.end(), [&](const std::string& word) {
    return !type_of(word).empty() || std::find(words.begin(), words.end(), word) != words.end();
  });
}

std::string set(const std::string& destination, const std::string& type, const std::string& what) {
  if (destination == "_") return "static_cast<void>(" + what + ");";
  return register_name(destination) + ".set<" + type + ">(" + what + ");";
}

std::string call(const std::string& function, const std::string& type, const Strings& arguments) {
  std::string list;
  for (const std::string& argument : arguments) list += (list.empty() ? "" : ", ") + argument;
  return "::simt::ptx::" + function + (type.empty() ? "" : "<" + type + ">") + "(" + list + ")";
}

bool is_float(const std::string& type) { return type == "float" || type == "double"; }

bool is_real(const std::string& type) { return is_float(type) || type.find("::") == 0; }

Strings values(const Instruction& one, const std::string& type) {
  Strings result;
  for (std::size_t i = 1; i < one.operands.size(); ++i) {
    result.push_back(value(one.operands[i], type));
  }
  return result;
}

std::string plain(const Instruction& one, const std::string& function, std::size_t num_operands) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.empty() || one.operands.size() != num_operands) return "";
  if (!words.only({"approx", "ftz", "rn", "full", "rnd", "nan", "sat", "lo", "wrap", "clamp",
                   "noftz", "uni"})) {
    return "";
  }
  std::string made = call(function, types[0], values(one, types[0]));
  if (words.has("sat") && !is_real(types[0])) return "";
  if (words.has("sat")) made = call("saturated", types[0], {made});
  return set(one.operands[0], types[0], made);
}

}  // namespace simt::rewriter::ptx
