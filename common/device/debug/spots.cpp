// SPDX-License-Identifier: MIT
#include "debug/spots.h"

namespace debug {
namespace {

using code::Instruction;
using code::SourceFile;

// At the beginning of a block lanes may wait for others: a stop comes when they are together.
bool is_marker(const Instruction& instruction) { return instruction.words.front() == "%block"; }

}  // namespace

std::vector<Link> chain_of(const code::Program& program, const Instruction& instruction) {
  std::vector<Link> chain;
  for (std::uint32_t at = instruction.place; at != ptx::kNoPlace;) {
    const ptx::Place& place = program.module.places[at];
    const bool is_users = place.file < program.files.size() &&
                          program.files[place.file].owner == SourceFile::Owner::kUser;
    if (is_users && place.line != 0) chain.push_back({place.file, place.line, place.function});
    at = place.inlined_at;
  }
  return chain;
}

Spots::Spots(const code::Program& program, const std::set<Address>& breaks)
    : program_(program), spots_(program.num_instructions) {
  for (const auto& function : program.functions) {
    // What comes before the first change of place stores parameters: they are not readable yet.
    const std::uint32_t head =
        function->instructions.empty() ? 0 : function->instructions.front().place;
    bool is_head = true;
    for (const Instruction& instruction : function->instructions) {
      is_head = is_head && instruction.place == head;
      const std::vector<Link> chain = chain_of(program, instruction);
      if (is_head || chain.empty() || is_marker(instruction)) continue;
      spots_[instruction.id] = {chain.front().file, chain.front().line,
                                static_cast<std::uint32_t>(chain.size() - 1), false};
    }
  }
  set_breaks(breaks);
}

void Spots::set_breaks(const std::set<Address>& breaks) {
  for (const auto& function : program_.functions) {
    for (const Instruction& instruction : function->instructions) {
      spots_[instruction.id].is_break = !breaks.empty() && !is_marker(instruction) &&
                                        breaks.contains({function->name, instruction.text_line});
    }
  }
}

}  // namespace debug
