// SPDX-License-Identifier: MIT
// What the tests of the PTX parser share.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ptx/module.h"

namespace ptx {

// A kernel `k` with these statements, which begin on line 2.
inline Module kernel(const std::string& statements) {
  return parse(".entry k() {\n" + statements + "\n}\n");
}

inline std::string error_of(std::string text) {
  try {
    parse(std::move(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline std::string error_in_kernel(const std::string& statements) {
  return error_of(".entry k() {\n" + statements + "\n}\n");
}

inline const Instruction& instruction(const Module& module, std::size_t index = 0) {
  return module.functions.at(0).instructions.at(index);
}

inline const Operand& operand(const Module& module, std::size_t index) {
  return instruction(module).operands.at(index);
}

// Registers, symbols and numbers as they were written, for comparison with one string.
inline std::string shown(const Operand& operand) {
  using Kind = Operand::Kind;
  const std::string name(operand.name);
  const auto offset = [&] {
    return operand.offset == 0 ? std::string() : "+" + std::to_string(operand.offset);
  };
  std::string elements;
  for (const Operand& element : operand.elements) {
    elements += (elements.empty() ? "" : ",") + shown(element);
  }
  switch (operand.kind) {
    case Kind::kRegister:
      return (operand.is_negated ? "!" : "") + name +
             (operand.second.empty() ? "" : "|" + std::string(operand.second));
    case Kind::kInteger:
      return std::to_string(static_cast<std::int64_t>(operand.bits));
    case Kind::kFloat32:
      return "f" + std::to_string(operand.bits);
    case Kind::kFloat64:
      return "d" + std::to_string(operand.bits);
    case Kind::kSymbol:
      return "&" + name + offset();
    case Kind::kAddress:
      return "[" + name + offset() + (elements.empty() ? "" : ";" + elements) + "]";
    case Kind::kVector:
      return "{" + elements + "}";
    case Kind::kIgnored:
      return operand.second.empty() ? "_" : "_|" + std::string(operand.second);
  }
  return "";
}

inline std::string shown(const Instruction& instruction) {
  std::string text;
  if (!instruction.guard.empty()) {
    text = (instruction.guard_negated ? "@!" : "@") + std::string(instruction.guard) + " ";
  }
  std::string separator;
  for (const std::string_view word : instruction.words) {
    text += separator + std::string(word);
    separator = ".";
  }
  separator = " ";
  for (const Operand& operand : instruction.operands) {
    text += separator + shown(operand);
    separator = " ";
  }
  return text;
}

inline std::string shown(const Module& module, std::size_t index = 0) {
  return shown(instruction(module, index));
}

inline const Variable& variable(const Module& module, std::string_view name) {
  const auto it = std::find_if(module.variables.begin(), module.variables.end(),
                               [&](const Variable& found) { return found.name == name; });
  if (it == module.variables.end()) throw std::runtime_error("no variable of this name");
  return *it;
}

}  // namespace ptx
