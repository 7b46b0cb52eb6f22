// SPDX-License-Identifier: MIT
#include "record/operations.h"

#include <bit>
#include <cstddef>
#include <string_view>
#include <utility>

namespace record {
namespace {

void read(run::Warp& warp, const code::Slot& slot, std::uint32_t lanes, LaneWords& words) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    switch (slot.file) {
      case code::File::k32:
        words[lane] = warp.row32<std::uint32_t>(slot.offset)[lane];
        break;
      case code::File::k64:
        words[lane] = warp.row64<std::uint64_t>(slot.offset)[lane];
        break;
      case code::File::kPredicate:
        words[lane] = (warp.predicate(slot.offset) >> lane & 1) ^ (slot.is_negated ? 1 : 0);
        break;
      default:
        words[lane] = 0;
    }
  }
}

}  // namespace

const char* operation_name(const code::Instruction& instruction) {
  const std::string_view opcode = instruction.words.front();
  if (opcode == "shfl") return "shuffle";
  if (opcode == "vote") {
    return instruction.has("ballot") ? "ballot"
           : instruction.has("any")  ? "any"
           : instruction.has("all")  ? "all"
                                     : "uniform";
  }
  if (opcode == "match") return instruction.has("any") ? "match_any" : "match_all";
  if (opcode == "redux") {
    for (const char* const name : {"add", "min", "max", "and", "or", "xor"}) {
      if (instruction.has(name)) return name;
    }
  }
  if (opcode == "mma" || (opcode == "wmma" && instruction.has("mma"))) return "mma";
  if ((opcode == "bar" || opcode == "barrier") && instruction.has("warp")) return "sync";
  return nullptr;
}

bool has_values(const code::Instruction& instruction) {
  const std::string_view opcode = instruction.words.front();
  return opcode == "shfl" || opcode == "vote" || opcode == "match" || opcode == "redux";
}

void read_given(run::Warp& warp, const code::Instruction& instruction, std::uint32_t lanes,
                LaneWords& words) {
  read(warp, instruction.operands.at(1).slot, lanes, words);
}

void read_got(run::Warp& warp, const code::Instruction& instruction, std::uint32_t lanes,
              LaneWords& words) {
  read(warp, instruction.operands.at(0).slot, lanes, words);
}

}  // namespace record
