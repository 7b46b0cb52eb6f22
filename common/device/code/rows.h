// SPDX-License-Identifier: MIT
// Where the registers of a function are kept: liveness, and rows that several registers use one
// after another.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "code/flow.h"
#include "code/program.h"
#include "ptx/module.h"

namespace code {

// Whether operands[0] is what the instruction defines.
bool has_destination(const ptx::Instruction& instruction);

struct Rows {
  std::unordered_map<std::string_view, Slot> slots;
  std::unordered_map<std::string_view, ptx::Type> types;
  std::unordered_set<std::string_view> read;  // by some instruction
  std::vector<std::uint32_t> live_words;      // of 32 bits, at the end of each block
  std::uint32_t num32 = 0;
  std::uint32_t num64 = 0;
  std::uint32_t num_predicates = 0;

  Slot add(File file);  // a row of its own, for a constant
};

// Lanes follow the control flow each for itself, and a row has a column for each; so two registers
// may share a row whenever no path needs both.
Rows rows_of(const ptx::Function& function, const Flow& flow);

}  // namespace code
