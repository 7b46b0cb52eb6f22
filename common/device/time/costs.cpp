// SPDX-License-Identifier: MIT
#include "time/costs.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

namespace timing {
namespace {

using code::Instruction;
using code::Slot;

struct Cost {
  Pipe pipe = Pipe::kOther;
  std::uint32_t slots = 1;
  Path path = {4, 0};
};
constexpr Cost kFree = {Pipe::kNone, 0, {0, 0}};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool has_any(const Instruction& instruction, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return instruction.has(word); });
}

Cost cost_of_memory(const Instruction& at, std::string_view opcode) {
  if (has_any(at, {"param", "const", "local"})) return kFree;
  const bool is_shared = has_any(at, {"shared", "shared::cta", "shared::cluster"});
  if (opcode == "ld") return {Pipe::kMemory, 1, is_shared ? Path{30, 0} : Path{0, 1}};
  if (opcode == "atom") return {Pipe::kMemory, 1, is_shared ? Path{60, 0} : Path{0, 1}};
  return {Pipe::kMemory, 1, {0, 0}};
}

Cost cost_of_function(const Instruction& at, std::string_view opcode) {  // of mathematics
  if (at.has("f64")) return {Pipe::kFp64, 20, {200, 0}};
  if (opcode == "div") {
    return at.has("rn") ? Cost{Pipe::kFp32, 9, {60, 0}} : Cost{Pipe::kFp32, 3, {40, 0}};
  }
  return {Pipe::kSpecial, 1, {has_any(at, {"approx"}) ? 18U : 50U, 0}};
}

Cost cost_alone(const Instruction& at) {
  if (at.words.empty()) return kFree;
  const std::string_view opcode = at.words.front();
  const bool is_wide = has_any(at, {"b64", "u64", "s64"});
  const bool is_float = has_any(at, {"f32", "f16", "f16x2", "bf16", "bf16x2"});
  if (is_one_of(opcode, {"mov", "cvta", "activemask", "ret"})) return kFree;
  if (is_one_of(opcode, {"ld", "ldu", "st", "atom", "red"})) {
    return cost_of_memory(at, opcode == "ldu" ? "ld" : opcode);
  }
  if (opcode == "cp" || opcode == "stmatrix") return {Pipe::kMemory, 1, {0, 0}};
  if (opcode == "ldmatrix") return {Pipe::kMemory, 1, {33, 0}};
  if (opcode == "mma") return {Pipe::kOther, 1, {33, 0}};
  if (opcode == "wmma") {
    if (at.has("load")) return {Pipe::kMemory, 4, at.has("shared") ? Path{33, 0} : Path{0, 1}};
    if (at.has("store")) return {Pipe::kMemory, 8, {0, 0}};
    return {Pipe::kOther, 2, {33, 0}};
  }
  if (opcode == "shfl") return {Pipe::kExchange, 1, {23, 0}};
  if (opcode == "redux") return {Pipe::kExchange, 2, {23, 0}};
  if (opcode == "match") return {Pipe::kExchange, at.has("any") ? 8U : 4U, {180, 0}};
  if (opcode == "vote") return {Pipe::kInteger, 1, {12, 0}};
  if (is_one_of(opcode, {"bar", "barrier"})) return {Pipe::kOther, 1, {15, 0}};
  if (is_one_of(opcode, {"membar", "fence"})) return {Pipe::kOther, 1, {0, 1}};
  if (is_one_of(opcode, {"bra", "brx", "call", "exit"})) return {Pipe::kOther, 1, {10, 0}};
  if (is_one_of(opcode, {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"}) ||
      (opcode == "div" && (is_float || at.has("f64")))) {
    return cost_of_function(at, opcode);
  }
  if (is_one_of(opcode, {"div", "rem"})) {
    return {Pipe::kInteger, is_wide ? 70U : 18U, {is_wide ? 300U : 100U, 0}};
  }
  if (is_one_of(opcode, {"popc", "clz", "brev", "bfind"})) return {Pipe::kSpecial, 1, {14, 0}};
  if (opcode == "cvt") {
    if (at.has("f64")) return {Pipe::kSpecial, 2, {20, 0}};
    return is_float ? Cost{Pipe::kSpecial, 1, {12, 0}} : kFree;
  }
  if (at.has("f64")) return {Pipe::kFp64, 1, {8, 0}};
  if (is_float) return {Pipe::kFp32, 1, {4, 0}};
  if (at.has("pred") && opcode != "setp") return kFree;  // part of the comparison
  if (is_one_of(opcode, {"mul", "mad"})) {
    const bool is_long = is_wide && !at.has("wide");
    return {Pipe::kInteger, is_long ? 3U : 1U, {is_long ? 10U : 5U, 0}};
  }
  return {Pipe::kInteger, is_wide ? 2U : 1U, {is_wide ? 6U : 4U, 0}};
}

using Row = std::pair<code::File, std::uint32_t>;
Row row_of(const Slot& slot) { return {slot.file, slot.offset}; }

// The rows that an instruction reads, as far as a warp has to wait for them.
template <class Visit>
void for_each_source(const code::Function& function, std::uint32_t index, Visit visit) {
  const Instruction& at = function.instructions[index];
  for (std::size_t i = at.has_destination ? 1 : 0; i < at.operands.size(); ++i) {
    if (at.operands[i].slot.exists()) visit(row_of(at.operands[i].slot));
    for (const code::Operand& element : at.operands[i].elements) {
      if (element.slot.exists()) visit(row_of(element.slot));
    }
  }
  const std::uint32_t guard = function.ops[index].guard;
  if (guard != code::kNoGuard) visit(Row{code::File::kPredicate, guard});
}

template <class Visit>
void for_each_destination(const Instruction& at, Visit visit) {
  if (!at.has_destination || at.operands.empty()) return;
  const code::Operand& operand = at.operands.front();
  if (operand.slot.exists()) visit(row_of(operand.slot));
  for (const code::Operand& element : operand.elements) {
    if (element.slot.exists()) visit(row_of(element.slot));
  }
  if (operand.second.exists()) visit(row_of(operand.second));
}

// What a value is made of, as far as the next instruction may swallow it.
enum class Made : std::uint8_t { kOther, kProduct, kShifted, kOffset, kLogic };

// ptxas makes one instruction of several: a product or a shifted value and the sum that it goes
// into (IMAD, LEA), an address and the constant that is added to it, two or three steps of logic
// (LOP3). So the second of each such pair costs nothing.
Cost cost_after(const Instruction& at, Cost alone, std::initializer_list<Made> sources) {
  if (alone.pipe != Pipe::kInteger || at.words.empty()) return alone;
  const std::string_view opcode = at.words.front();
  const auto comes_from = [&](Made made) {
    return std::ranges::find(sources, made) != sources.end();
  };
  if (opcode == "add" && (comes_from(Made::kProduct) || comes_from(Made::kShifted))) {
    return {Pipe::kNone, 0, {0, 0}};
  }
  if (is_one_of(opcode, {"and", "or", "xor", "not"}) && comes_from(Made::kLogic)) {
    return {Pipe::kNone, 0, {0, 0}};
  }
  return alone;
}

Made made_by(const Instruction& at, bool is_swallowed) {
  if (at.words.empty() || is_swallowed) return Made::kOther;
  const std::string_view opcode = at.words.front();
  if (opcode == "mul") return Made::kProduct;
  if (opcode == "shl") return Made::kShifted;
  if (is_one_of(opcode, {"and", "or", "xor", "not"})) return Made::kLogic;
  return Made::kOther;
}

bool adds_constant_to_address(const Instruction& at) {
  return !at.words.empty() && at.words.front() == "add" && has_any(at, {"s64", "u64"}) &&
         at.operands.size() == 3 && at.operands[2].is_immediate;
}

}  // namespace

std::uint32_t BlockCost::issued() const {
  std::uint32_t sum = 0;
  for (const std::uint32_t number : slots) sum += number;
  return sum;
}

BlockCost cost_of(const code::Function& function, const code::Block& block) {
  struct Value {
    Path ready;
    Made made = Made::kOther;
    bool is_load = false;
    bool is_used = false;
  };
  std::map<Row, Value> values;
  BlockCost cost;
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    const Instruction& at = function.instructions[i];
    Path start;
    Made made[2] = {Made::kOther, Made::kOther};
    std::size_t num_sources = 0;
    for_each_source(function, i, [&](const Row& row) {
      const auto found = values.find(row);
      if (found == values.end()) return;
      found->second.is_used = true;
      start = longer(start, found->second.ready);
      if (num_sources < 2) made[num_sources++] = found->second.made;
    });
    const Cost alone = cost_alone(at);
    const Cost own =
        adds_constant_to_address(at) ? kFree : cost_after(at, alone, {made[0], made[1]});
    cost.slots[std::size_t(own.pipe)] += own.slots;
    start += own.path;
    const bool is_load = own.path.loads != 0 && at.has_destination;
    if (!is_load) cost.path = longer(cost.path, start);
    const bool is_swallowed = own.slots == 0 && alone.slots != 0;
    for_each_destination(at, [&](const Row& row) {
      values[row] = {start, made_by(at, is_swallowed), is_load, false};
    });
  }
  for (const auto& [row, value] : values) {
    if (value.is_load && !value.is_used) cost.has_pending = true;
  }
  return cost;
}

}  // namespace timing
