// SPDX-License-Identifier: MIT
// Moves, and what treats registers as bits.
#include "ptx/statement.h"

namespace simt::rewriter::ptx {

std::string move(const Instruction& one) {
  const Strings types = Words(one.name).types();
  if (types.empty() || one.operands.size() != 2) return "";
  const Strings to = elements(one.operands[0]), from = elements(one.operands[1]);
  const std::string& type = types[0];
  if (to.size() == 1 && from.size() == 1) return set(to[0], type, value(from[0], type));
  std::string made = "{ ";
  if (to.size() > 1) {
    made += "const auto simt_whole = " + value(from[0], type) + "; ";
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == "_") continue;
      const std::string part = "::simt::ptx::Part<" + type + ", " + std::to_string(to.size()) + ">";
      std::string taken = "static_cast<";
      taken.append(part).append(">(simt_whole >> ").append(std::to_string(i));
      taken.append(" * 8 * sizeof(").append(part).append("))");
      made.append(set(to[i], part, taken)).append(" ");
    }
  } else {
    const std::string part = "::simt::ptx::Part<" + type + ", " + std::to_string(from.size()) + ">";
    made += type + " simt_whole = 0; ";
    for (std::size_t i = 0; i < from.size(); ++i) {
      made.append("simt_whole |= static_cast<").append(type).append(">(");
      made.append(value(from[i], part)).append(") << ").append(std::to_string(i));
      made.append(" * 8 * sizeof(").append(part).append("); ");
    }
    made += set(to[0], type, "simt_whole") + " ";
  }
  return made + "}";
}

std::string on_words(const Instruction& one, const std::string& function,
                     std::size_t num_operands) {
  if (one.operands.size() != num_operands) return "";
  return set(one.operands[0], "unsigned", call(function, "", values(one, "unsigned")));
}

std::string counted(const Instruction& one, const std::string& function) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.size() != 1 || one.operands.size() != 2) return "";
  Strings arguments = values(one, types[0]);
  if (function == "find_bit") arguments.push_back(words.has("shiftamt") ? "true" : "false");
  return set(one.operands[0], "unsigned", call(function, types[0], arguments));
}

std::string shifted(const Instruction& one, const std::string& function) {
  const Strings types = Words(one.name).types();
  if (types.size() != 1 || one.operands.size() != 3) return "";
  return set(one.operands[0], types[0],
             call(function, types[0],
                  {value(one.operands[1], types[0]), value(one.operands[2], "unsigned")}));
}

std::string bit_field(const Instruction& one) {
  const Strings types = Words(one.name).types();
  const bool inserts = one.name[0] == "bfi";
  const std::size_t num_values = inserts ? 2 : 1;
  if (types.size() != 1 || one.operands.size() != num_values + 3) return "";
  Strings arguments;
  for (std::size_t i = 1; i < one.operands.size(); ++i) {
    arguments.push_back(value(one.operands[i], i <= num_values ? types[0] : "unsigned"));
  }
  return set(one.operands[0], types[0], call(one.name[0], types[0], arguments));
}

}  // namespace simt::rewriter::ptx
