// SPDX-License-Identifier: MIT
// Runs one instruction, given as a line of PTX, on a warp of its own: what `code` does for a whole
// program. Registers: %h (16 bits) and %r (32) in rows of 4 bytes per lane, %d (64) and %q (128) in
// rows of 8, %p predicates.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "code/program.h"
#include "run/arithmetic/handlers.h"
#include "run/warp.h"

namespace opcodes {

class OneWarp {
 public:
  // Instructions separated by "; ". Throws what bind_arithmetic throws.
  OneWarp(const std::string& text);

  void set(std::string_view name, int lane, std::uint64_t value);
  std::uint64_t get(std::string_view name, int lane);
  // Runs for these lanes; `only`: all ones, or the lanes.
  void run(std::uint32_t lanes = UINT32_MAX, std::uint32_t only = UINT32_MAX);

 private:
  code::Slot slot_of(std::string_view name);
  code::Operand operand_of(std::string_view text);
  const std::string& kept(std::string_view text);

  std::vector<std::unique_ptr<std::string>> texts_;  // what the views of instructions point into
  std::map<std::string, code::Slot, std::less<>> registers_;
  code::Function function_;
  std::vector<std::uint64_t> rows32_, rows64_;
  std::vector<std::uint32_t> predicates_;
  run::Warp warp_;
};

}  // namespace opcodes
