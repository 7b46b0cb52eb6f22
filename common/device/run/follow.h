// SPDX-License-Identifier: MIT
// For what follows values from register to register.
#pragma once

#include <string_view>

#include "code/program.h"

namespace run {

// Whether it only decides what comes next.
inline bool only_controls(const code::Instruction& instruction) {
  const std::string_view opcode = instruction.words.front();
  return opcode == "%block" || opcode == "bra" || opcode == "call" || opcode == "ret";
}

// Whether it copies a value without looking at it.
inline bool only_copies(const code::Instruction& instruction) {
  return instruction.words.front() == "mov" && instruction.operands.at(1).elements.empty() &&
         instruction.operands.at(0).elements.empty();
}

template <class Visit>
void for_each_slot(const code::Operand& operand, Visit visit) {
  if (operand.slot.exists()) visit(operand.slot);
  for (const code::Operand& element : operand.elements) for_each_slot(element, visit);
}

}  // namespace run
