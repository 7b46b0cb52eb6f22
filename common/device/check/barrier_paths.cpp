// SPDX-License-Identifier: MIT
#include "check/barrier_paths.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string_view>

namespace check {
namespace {

// Longer ways are not compared.
constexpr std::size_t kMaxSteps = 4096;
// Most threads of a block leave in the same way. So many different ones are compared.
constexpr std::size_t kMaxWays = 64;

using code::Block;
using code::Function;
using code::Instruction;

bool is_block_barrier(const Instruction& instruction) {
  if (instruction.words.empty()) return false;
  const std::string_view opcode = instruction.words.front();
  return (opcode == "bar" || opcode == "barrier") && !instruction.has("warp") &&
         !instruction.has("cluster");
}

bool uses_memory(const Instruction& instruction) {
  constexpr std::array<std::string_view, 10> kOpcodes = {"ld",  "st", "atom",    "red", "call",
                                                         "bar", "cp", "barrier", "ldu", "mbarrier"};
  const std::string_view opcode = instruction.words.front();
  const bool is_parameter =
      instruction.words.size() > 1 && instruction.words[1].starts_with("param");
  return !is_parameter && std::ranges::find(kOpcodes, opcode) != kOpcodes.end();
}

bool decides(const Instruction& instruction) {
  return instruction.words.front() == "setp" || instruction.words.front() == "brx";
}

}  // namespace

const Function& BlockMap::function_of(const Block& block) const {
  for (const auto& function : program_.functions) {
    const Block* const first = function->blocks.data();
    if (!std::less<>{}(&block, first) && std::less<>{}(&block, first + function->blocks.size())) {
      return *function;
    }
  }
  return *program_.functions.front();
}

const Block& BlockMap::block_of(const Instruction& instruction) const {
  for (const auto& function : program_.functions) {
    const Instruction* const first = function->instructions.data();
    if (!std::less<>{}(&instruction, first) &&
        std::less<>{}(&instruction, first + function->instructions.size())) {
      return function->blocks[instruction.block];
    }
  }
  return program_.functions.front()->blocks.front();
}

const Block* BlockMap::meeting_place(const Way& way, std::size_t at) const {
  const Function& function = function_of(*way[at]);
  if (way[at]->post_dominator != Block::kNone) return &function.blocks[way[at]->post_dominator];
  // They come together in the caller, behind the call, which is the end of a block.
  for (std::size_t i = at; i-- > 0;) {
    const Function& caller = function_of(*way[i]);
    if (&caller == &function) continue;
    const auto next = static_cast<std::size_t>(way[i] - caller.blocks.data()) + 1;
    return next < caller.blocks.size() ? &caller.blocks[next] : nullptr;
  }
  return nullptr;
}

// `goes_on`: the thread does not leave the kernel in that block, so a decision is a deed, too.
const Instruction* BlockMap::deed_in(const Function& function, std::size_t begin, std::size_t end,
                                     bool goes_on) const {
  for (std::size_t i = begin; i < end && i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (instruction.words.empty() || program_.line_of(instruction.place).line == 0) continue;
    if (uses_memory(instruction) || (goes_on && decides(instruction))) return &instruction;
  }
  return nullptr;
}

const Instruction* BlockMap::first_deed(const Way& way, std::size_t at) const {
  for (std::size_t i = at; i < way.size(); ++i) {
    const Instruction* const deed =
        deed_in(function_of(*way[i]), way[i]->begin, way[i]->end, i + 1 < way.size());
    if (deed != nullptr) return deed;
  }
  return nullptr;
}

const Instruction* BlockMap::deed_behind(const Block& block, const Instruction& barrier) const {
  const Function& function = function_of(block);
  const auto at = static_cast<std::size_t>(&barrier - function.instructions.data());
  return deed_in(function, at + 1, block.end, false);
}

const Instruction* bypasses(const BlockMap& map, const Way& left, const Way& waits,
                            const Instruction& barrier) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    while (i < left.size() && j < waits.size() && left[i] == waits[j]) ++i, ++j;
    if (i == 0) return nullptr;  // they have begun at different places
    if (j == waits.size()) {
      // Both were in the barrier's block, and it is for some lanes only.
      const Instruction* const deed = map.deed_behind(*waits.back(), barrier);
      return deed != nullptr ? deed : map.first_deed(left, i);
    }
    if (i == left.size()) return nullptr;
    const Block* const meeting = map.meeting_place(left, i - 1);
    if (meeting == nullptr) return nullptr;
    const auto came = std::find(left.begin() + static_cast<std::ptrdiff_t>(i), left.end(), meeting);
    if (came == left.end()) return nullptr;
    const auto also =
        std::find(waits.begin() + static_cast<std::ptrdiff_t>(j), waits.end(), meeting);
    i = static_cast<std::size_t>(came - left.begin());
    if (also == waits.end()) return map.first_deed(left, i);
    j = static_cast<std::size_t>(also - waits.begin());
  }
}

bool may_meet_barriers(const code::Program& program, const Function& kernel) {
  std::set<const Function*> seen;
  std::vector<const Function*> open{&kernel};
  while (!open.empty()) {
    const Function* const function = open.back();
    open.pop_back();
    if (!seen.insert(function).second) continue;
    for (const Instruction& instruction : function->instructions) {
      if (is_block_barrier(instruction)) return true;
      if (instruction.words.empty() || instruction.words.front() != "call") continue;
      for (const code::Operand& operand : instruction.operands) {
        if (operand.slot.exists()) return true;  // through a pointer: perhaps
        const Function* const called =
            operand.symbol.empty() ? nullptr : program.find(operand.symbol);
        if (called != nullptr) open.push_back(called);
      }
    }
  }
  return false;
}

void BarrierPaths::begin(const run::Block& block) {
  warps_.resize(block.warps.size());
  for (std::size_t id = 0; id < warps_.size(); ++id) {
    warps_[id].steps.clear();
    warps_[id].live = block.warps[id]->live;
    warps_[id].is_incomplete = false;
  }
}

void BarrierPaths::enter(const run::Warp& warp, const Block& block, std::uint32_t lanes) {
  Steps& own = warps_[warp.id];
  if (own.steps.size() < kMaxSteps) {
    own.steps.push_back({&block, lanes});
  } else {
    own.is_incomplete = true;
  }
}

Way BarrierPaths::way_of(const Steps& warp, std::uint32_t lane) {
  Way way;
  for (const Step& step : warp.steps) {
    if ((step.lanes >> lane & 1) != 0) way.push_back(step.block);
  }
  return way;
}

std::optional<BarrierPaths::Bypass> BarrierPaths::look_for(const run::Block& block,
                                                           const BlockMap& map,
                                                           const Instruction& barrier) const {
  const auto waiting_lanes = [&](std::size_t id) {
    return warps_[id].is_incomplete ? 0 : block.warps[id]->live;
  };
  std::size_t first = 0;
  while (first < warps_.size() && waiting_lanes(first) == 0) ++first;
  if (first == warps_.size()) return std::nullopt;
  std::set<Way> seen;
  for (std::size_t id = 0; id < warps_.size(); ++id) {
    const Steps& own = warps_[id];
    if (own.is_incomplete) continue;
    // One that waits in the same warp has most in common.
    const std::size_t other = waiting_lanes(id) != 0 ? id : first;
    const Way waits =
        way_of(warps_[other], static_cast<std::uint32_t>(std::countr_zero(waiting_lanes(other))));
    for (std::uint32_t gone = own.live & ~block.warps[id]->live; gone != 0; gone &= gone - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(gone));
      Way left = way_of(own, lane);
      if (seen.size() >= kMaxWays || seen.contains(left)) continue;
      if (const Instruction* const deed = bypasses(map, left, waits, barrier)) {
        return Bypass{static_cast<std::uint32_t>(id) * run::kWarpSize + lane, deed};
      }
      seen.insert(std::move(left));
    }
  }
  return std::nullopt;
}

std::optional<BarrierPaths::Bypass> BarrierPaths::meet(const run::Block& block, const BlockMap& map,
                                                       const Instruction& barrier) {
  bool has_gone = false;
  for (std::size_t id = 0; id < warps_.size(); ++id) {
    has_gone = has_gone || (warps_[id].live & ~block.warps[id]->live) != 0;
  }
  const std::optional<Bypass> found = has_gone ? look_for(block, map, barrier) : std::nullopt;
  begin(block);
  // They go on in the barrier's block.
  const Block& here = map.block_of(barrier);
  for (std::size_t id = 0; id < warps_.size(); ++id) {
    if (warps_[id].live != 0) warps_[id].steps.push_back({&here, warps_[id].live});
  }
  return found;
}

}  // namespace check
