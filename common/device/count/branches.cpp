// SPDX-License-Identifier: MIT
#include "count/branches.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace count {
namespace {

// ptxas makes up to about seven instructions conditional.
constexpr std::uint32_t kMaxConditional = 7;

// What a short side may not have, by opcode: memory, waiting, and what leaves the function.
bool needs_branch(const code::Instruction& instruction) {
  static constexpr std::array<std::string_view, 30> kOpcodes = {
      "ld",    "ldu",     "st",     "atom",  "red",       "cp",   "ldmatrix", "stmatrix",
      "wmma",  "mma",     "wgmma",  "tex",   "tld4",      "suld", "sust",     "sured",
      "bar",   "barrier", "membar", "fence", "mbarrier",  "shfl", "vote",     "match",
      "redux", "elect",   "call",   "ret",   "nanosleep", "trap"};
  const std::string_view opcode = instruction.words.front();
  if (opcode == "ld" && instruction.has("param")) return false;
  return std::ranges::find(kOpcodes, opcode) != kOpcodes.end();
}

// Whether the side that begins at `block` is empty, or short and leads to `meeting` alone.
bool is_conditional(const code::Function& function, std::uint32_t block, std::uint32_t meeting) {
  if (block == meeting) return true;
  const code::Block& side = function.blocks[block];
  if (side.successors.size() != 1 || side.successors.front() != meeting) return false;
  std::uint32_t length = 0;
  for (std::uint32_t i = side.begin; i < side.end; ++i) {
    const code::Instruction& instruction = function.instructions[i];
    const std::string_view opcode = instruction.words.front();
    if (opcode.starts_with('%') || opcode == "bra") continue;  // the block's marker, its end
    if (needs_branch(instruction)) return false;
    ++length;
  }
  return length <= kMaxConditional;
}

}  // namespace

bool is_branch(const code::Program& program, const code::Function& function,
               const code::Instruction& branch) {
  const std::uint32_t file = program.module.places[branch.place].file;
  if (program.files[file].owner == code::SourceFile::Owner::kLibrary && branch.place != 0) {
    return false;
  }
  const code::Block& block = function.blocks[branch.block];
  const std::uint32_t meeting = block.post_dominator;
  if (meeting == code::Block::kNone) return true;
  return !std::ranges::all_of(block.successors, [&](std::uint32_t side) {
    return is_conditional(function, side, meeting);
  });
}

}  // namespace count
