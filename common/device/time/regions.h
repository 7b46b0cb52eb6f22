// SPDX-License-Identifier: MIT
// Basic blocks that ptxas joins: it turns the short sides of a branch into conditional
// instructions. Regions also know which registers hold addresses of shared and local memory.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string_view>
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

  // Where shared memory begins, which depends on the block's place in its cluster. It is in a
  // register that all lanes share, and such registers do not outlast a branch.
  bool is_shared_address(const code::Operand& operand) const;
  // Whether an instruction of 64 bits makes a value of which only the low word is needed: as an
  // address of shared memory, which has 32 bits.
  bool has_only_low_word(const code::Instruction& at) const;
  // Whether several instructions write the register.
  bool is_joined(const code::Operand& operand) const { return joined_.contains(operand.symbol); }
  // Whether a thread's own arrays are in memory: an index is computed. Where the program only
  // chooses one of several variables, nvcc has them in registers, even if clang chooses an address.
  bool has_local_memory() const { return has_local_memory_; }

 private:
  std::vector<std::uint32_t> build(std::uint32_t first);
  void find_long();
  bool needs_high_word(const code::Instruction& at, const code::Operand& source) const;
  void find_registers();
  void find_joined(const code::Operand& operand, std::set<std::string_view>& written);
  void find_local_address(const code::Instruction& at);
  bool is_local_address(const code::Operand& operand) const;
  bool is_constant(const code::Operand& operand,
                   std::initializer_list<code::Constant::Kind> kinds) const;

  const code::Function& function_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<bool> has_no_branch_;  // blocks whose branch becomes conditions
  std::vector<bool> is_conditional_;
  std::vector<bool> is_taken_;  // blocks that have their region
  std::vector<std::vector<std::uint32_t>> blocks_;
  std::set<std::string_view> shared_addresses_, local_addresses_, joined_, long_;  // registers
  bool has_local_memory_ = false;
};

}  // namespace timing
