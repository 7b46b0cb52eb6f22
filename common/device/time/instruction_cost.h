// SPDX-License-Identifier: MIT
// What an instruction of PTX costs a multiprocessor, as far as the instruction alone shows it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "code/program.h"
#include "time/path.h"

namespace timing {

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Where a multiprocessor executes an instruction.
enum class Pipe : std::uint8_t {
  kNone,
  kFp32,
  kInteger,
  kAlu,  // what only one of the two units of integers does
  kFp64,
  kSpecial,
  kExchange,
  kMemory,
  kAdu,  // constants that are no operand, and barriers
  kOther
};
inline constexpr std::size_t kNumPipes = std::size_t(Pipe::kOther) + 1;

struct Cost {
  Pipe pipe = Pipe::kOther;
  std::uint32_t slots = 1;  // instructions that a device issues
  Path latency = {4, 0};    // from there to the result
  bool blocks = false;      // the warp issues nothing until then
  std::uint32_t busy = 0;   // cycles for which a tensor core takes no other product
};
inline constexpr Cost kFree = {Pipe::kNone, 0, {0, 0}, false};

inline std::string_view opcode_of(const code::Instruction& at) {
  return at.words.empty() ? std::string_view() : at.words.front();
}

inline bool has_any(const code::Instruction& at, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return at.has(word); });
}

inline bool is_shared(const code::Instruction& at) {
  return has_any(at, {"shared", "shared::cta", "shared::cluster"});
}

// Products of 16 bits are the unit: what a tensor core does of others in the same time.
std::uint64_t in_products_of_16_bits(const code::Instruction& at, std::uint64_t multiply_adds);
inline constexpr std::uint32_t kProductsPerCycle = 1331;  // of a multiprocessor, by mma

// A shift of 64 bits by 32: its result is one of two registers.
bool takes_half(const code::Instruction& at);

// By itself. block_cost.h knows what ptxas makes of several. Of an integer instruction of 64 bits,
// ptxas drops what only the high word of its result needs, if no other instruction does.
Cost cost_of(const code::Instruction& instruction, bool has_only_low_word = false);

}  // namespace timing
