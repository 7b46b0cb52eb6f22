// SPDX-License-Identifier: MIT
// Control flow of a function: basic blocks and post-dominators.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/program.h"
#include "ptx/module.h"

namespace code {

enum class Control : std::uint8_t { kNone, kBranch, kIndexedBranch, kCall, kReturn, kExit };
Control control_of(const ptx::Instruction& instruction);

struct Flow {
  struct Range {
    std::uint32_t begin = 0;  // indices into ptx::Function::instructions
    std::uint32_t end = 0;
  };
  std::vector<Range> ranges;  // of the blocks, in order of the text
  std::vector<Block> blocks;  // successors and post-dominators; begin and end are set later
  std::unordered_map<std::string_view, std::uint32_t> block_of_label;

  const ptx::Table* table(const ptx::Function& function, std::string_view label) const;
};

// Throws ptx::Error where a branch leads nowhere.
Flow flow_of(const ptx::Function& function);

}  // namespace code
