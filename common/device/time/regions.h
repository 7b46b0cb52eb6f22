// SPDX-License-Identifier: MIT
// Basic blocks that ptxas joins: it turns the short sides of a branch into conditional
// instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "code/program.h"
#include "time/instruction_cost.h"

namespace timing {

class Regions {
 public:
  explicit Regions(const code::Function& function);

  // The blocks of the region that begins with this one, in order of execution. Empty if this block
  // lies inside another region: a warp enters each region by its first block.
  const std::vector<std::uint32_t>& blocks_of(std::uint32_t first) const { return blocks_[first]; }
  // Whether the block is a side whose instructions are conditional.
  bool is_conditional(std::uint32_t block) const { return is_conditional_[block]; }
  // Of the branch that ends a block, by its index among the function's instructions.
  Cost cost_of_branch(std::uint32_t index) const;

 private:
  std::vector<std::uint32_t> build(std::uint32_t first);

  const code::Function& function_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<bool> has_no_branch_;  // blocks whose branch becomes conditions
  std::vector<bool> is_conditional_;
  std::vector<bool> is_taken_;  // blocks that have their region
  std::vector<std::vector<std::uint32_t>> blocks_;
};

}  // namespace timing
