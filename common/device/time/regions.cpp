// SPDX-License-Identifier: MIT
#include "time/regions.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <string_view>

namespace timing {
namespace {

using code::Instruction;

constexpr std::uint32_t kMaxConditional = 7;  // about so many slots ptxas makes conditional

// Whether ptxas makes the instructions of the side that begins at `side` conditional: it is short,
// leads only to `meeting`, and nothing in it is for several threads.
bool is_short(const code::Function& function, const Regions& regions, std::uint32_t side,
              std::uint32_t meeting) {
  if (side == meeting) return true;
  const code::Block& block = function.blocks[side];
  if (block.successors.size() != 1 || block.successors.front() != meeting) return false;
  std::uint32_t slots = 0;
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    const Instruction& at = function.instructions[i];
    if (opcode_of(at) == "bra") continue;
    const Cost cost = cost_of(at, regions.has_only_low_word(at));
    if (cost.blocks || cost.pipe == Pipe::kExchange ||
        is_one_of(opcode_of(at), {"atom", "red", "vote", "match", "bar", "mma", "wmma"})) {
      return false;
    }
    if (!at.has("param")) slots += cost.slots;  // a region fetches a parameter once
  }
  return slots <= kMaxConditional;
}

bool has_short_sides(const code::Function& function, const Regions& regions,
                     const code::Block& block) {
  return block.successors.size() == 2 && block.post_dominator != code::Block::kNone &&
         std::ranges::all_of(block.successors, [&](std::uint32_t side) {
           return is_short(function, regions, side, block.post_dominator);
         });
}

}  // namespace

Regions::Regions(const code::Function& function)
    : function_(function),
      predecessors_(function.blocks.size()),
      has_no_branch_(function.blocks.size()),
      is_conditional_(function.blocks.size()),
      is_taken_(function.blocks.size()),
      blocks_(function.blocks.size()) {
  find_long();
  const auto num_blocks = static_cast<std::uint32_t>(function.blocks.size());
  for (std::uint32_t b = 0; b < num_blocks; ++b) {
    for (const std::uint32_t next : function.blocks[b].successors) predecessors_[next].push_back(b);
  }
  for (std::uint32_t b = 0; b < num_blocks; ++b) {
    const code::Block& block = function.blocks[b];
    const bool has_them = has_short_sides(function, *this, block);
    has_no_branch_[b] = has_them && std::ranges::all_of(block.successors, [&](std::uint32_t side) {
                          return side == block.post_dominator || predecessors_[side].size() == 1;
                        });
    if (!has_no_branch_[b]) continue;
    for (const std::uint32_t side : block.successors) {
      if (side != block.post_dominator) is_conditional_[side] = true;
    }
  }
  for (std::uint32_t b = 0; b < num_blocks; ++b) {
    if (!is_taken_[b] && !is_conditional_[b]) blocks_[b] = build(b);
  }
  find_registers();
}

// From the last instruction to the first, until no more are found: a loop may use its values in the
// next round.
void Regions::find_long() {
  for (std::size_t before = SIZE_MAX; before != long_.size();) {
    before = long_.size();
    for (const Instruction& at : function_.instructions | std::views::reverse) {
      if (at.has_destination && !at.is_read) long_.insert(at.operands[0].symbol);
      for (std::size_t k = at.has_destination ? 1 : 0; k < at.operands.size(); ++k) {
        const code::Operand& source = at.operands[k];
        if (!needs_high_word(at, source)) continue;
        long_.insert(source.symbol);
        for (const code::Operand& element : source.elements) long_.insert(element.symbol);
      }
    }
  }
}

bool Regions::needs_high_word(const Instruction& at, const code::Operand& source) const {
  const std::string_view opcode = opcode_of(at);
  if (source.is_address) return !is_shared(at) || at.has("global");
  if (opcode == "st" && !has_any(at, {"b64", "u64", "s64", "f64"})) return false;
  const bool keeps_low_words = is_one_of(
      opcode, {"add", "sub", "mul", "mad", "shl", "and", "or", "xor", "not", "mov", "selp", "cvt"});
  if (!keeps_low_words || at.has("hi") || !at.operands[0].slot.exists()) return true;
  if (opcode == "cvt" && at.operands[0].slot.file == code::File::k32)
    return has_any(at, {"f32", "f16", "bf16"});
  const code::Operand& last = at.operands.back();
  if (opcode == "and" && last.is_immediate && last.bits <= UINT32_MAX) return false;
  return !has_only_low_word(at);
}

bool Regions::has_only_low_word(const Instruction& at) const {
  return at.has_destination && at.operands[0].slot.file == code::File::k64 &&
         !long_.contains(at.operands[0].symbol);
}

void Regions::find_registers() {
  std::set<std::string_view> written;
  for (const Instruction& at : function_.instructions) {
    if (at.operands.empty()) continue;
    if (at.has_destination) find_joined(at.operands[0], written);
    find_local_address(at);
    const bool is_same = is_one_of(opcode_of(at), {"mov", "cvta"}) && at.operands[0].slot.exists();
    if (is_same && is_shared_address(at.operands.back())) {
      shared_addresses_.insert(at.operands[0].symbol);
    }
  }
}

void Regions::find_joined(const code::Operand& operand, std::set<std::string_view>& written) {
  for (const code::Operand& element : operand.elements) find_joined(element, written);
  if (!operand.slot.exists() || written.insert(operand.symbol).second) return;
  joined_.insert(operand.symbol);
}

void Regions::find_local_address(const Instruction& at) {
  const std::size_t first = at.has_destination ? 1 : 0;
  for (std::size_t k = first; k < at.operands.size(); ++k) {
    const code::Operand& operand = at.operands[k];
    if (operand.is_address || !is_local_address(operand)) continue;
    const bool adds_constant = opcode_of(at) == "add" && at.operands.back().is_immediate;
    const bool is_kept = adds_constant || is_one_of(opcode_of(at), {"mov", "cvta", "selp"});
    if (is_kept && at.operands[0].slot.exists()) {
      local_addresses_.insert(at.operands[0].symbol);
    } else {
      has_local_memory_ = true;
    }
  }
}

bool Regions::is_constant(const code::Operand& operand,
                          std::initializer_list<code::Constant::Kind> kinds) const {
  return operand.slot.exists() &&
         std::ranges::any_of(function_.constants, [&](const code::Constant& constant) {
           return std::ranges::find(kinds, constant.kind) != kinds.end() &&
                  constant.slot.file == operand.slot.file &&
                  constant.slot.offset == operand.slot.offset;
         });
}

bool Regions::is_shared_address(const code::Operand& operand) const {
  using Kind = code::Constant::Kind;
  return shared_addresses_.contains(operand.symbol) ||
         is_constant(operand, {Kind::kShared, Kind::kDynamic});
}

bool Regions::is_local_address(const code::Operand& operand) const {
  return local_addresses_.contains(operand.symbol) ||
         is_constant(operand, {code::Constant::Kind::kLocal});
}

std::vector<std::uint32_t> Regions::build(std::uint32_t first) {
  std::vector<std::uint32_t> region = {first};
  is_taken_[first] = true;
  for (std::uint32_t last = first;;) {
    const code::Block& block = function_.blocks[last];
    std::uint32_t next = code::Block::kNone;
    if (has_no_branch_[last]) {
      for (const std::uint32_t side : block.successors) {
        if (side != block.post_dominator) region.push_back(side);
      }
      next = block.post_dominator;
    } else if (block.successors.size() == 1 &&
               opcode_of(function_.instructions[block.end - 1]) != "call") {
      next = block.successors.front();
    }
    if (next == code::Block::kNone || is_taken_[next] || is_conditional_[next]) return region;
    const bool is_inside = std::ranges::all_of(predecessors_[next], [&](std::uint32_t before) {
      return std::ranges::find(region, before) != region.end();
    });
    if (!is_inside) return region;
    region.push_back(next);
    is_taken_[next] = true;
    last = next;
  }
}

Cost Regions::cost_of_branch(std::uint32_t index) const {
  const Instruction& at = function_.instructions[index];
  const code::Block& block = function_.blocks[at.block];
  if (function_.ops[index].guard == code::kNoGuard) {
    const bool leads_on = block.successors.size() == 1 && block.successors.front() == at.block + 1;
    return leads_on || is_conditional_[at.block] ? kFree : cost_of(at);
  }
  if (has_no_branch_[at.block]) return kFree;
  Cost cost = cost_of(at);
  // Lanes that part meet again: about every second branch has BSSY and BSYNC.
  const bool is_forward =
      std::ranges::all_of(block.successors, [&](std::uint32_t next) { return next > at.block; });
  if (is_forward && !at.has("uni")) ++cost.slots;
  return cost;
}

}  // namespace timing
