// SPDX-License-Identifier: MIT
// Where each instruction is in the user's files, for steps and breakpoints.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "code/program.h"

namespace debug {

// One function of the user in the chain of those that were inlined.
struct Link {
  std::uint32_t file = 0;  // index into Program::files
  std::uint32_t line = 0;
  std::string_view function;  // mangled; empty: the one that holds the instruction
};

// The innermost first. Functions of libraries are left out.
std::vector<Link> chain_of(const code::Program& program, const code::Instruction& instruction);

struct Spot {
  std::uint32_t file = 0;
  std::uint32_t line = 0;   // 0: of no user's line, or where a function takes its parameters
  std::uint32_t depth = 0;  // functions that were inlined here
  bool is_break = false;
};

// A function and a line of the PTX.
using Address = std::pair<std::string, std::uint64_t>;

class Spots {
 public:
  Spots(const code::Program& program, const std::set<Address>& breaks);
  void set_breaks(const std::set<Address>& breaks);
  const Spot& of(const code::Instruction& instruction) const { return spots_[instruction.id]; }

 private:
  const code::Program& program_;
  std::vector<Spot> spots_;
};

}  // namespace debug
