// SPDX-License-Identifier: MIT
#include "run/repetition.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "run/engine.h"

namespace run {
namespace {

using code::File;
using code::Instruction;
using code::Slot;

constexpr std::uint32_t kWatched = 4096;  // blocks of code: the longest round of a loop

using Row = std::pair<File, std::uint32_t>;

void add(std::set<Row>& rows, const code::Operand& operand) {
  for (const Slot& slot : {operand.slot, operand.second}) {
    if (slot.exists()) rows.emplace(slot.file, slot.offset);
  }
  for (const code::Operand& element : operand.elements) add(rows, element);
}

bool is_among(const std::set<Row>& rows, const code::Operand& operand) {
  std::set<Row> own;
  add(own, operand);
  return std::ranges::any_of(own, [&](const Row& row) { return rows.contains(row); });
}

// All that it uses matters: what it keeps in local memory, what it waits for.
bool matters(const Instruction& instruction) {
  constexpr std::array<std::string_view, 8> kKinds = {"call", "brx",   "vote",    "match",
                                                      "bar",  "elect", "barrier", "nanosleep"};
  const std::string_view opcode = instruction.words.front();
  if (opcode == "st") return !instruction.has("global") && !instruction.has("shared");
  return std::ranges::find(kKinds, opcode) != kKinds.end();
}

bool reads_clock(const code::Operand& operand) {
  return operand.symbol.starts_with("%clock") || operand.symbol.starts_with("%globaltimer");
}

void append(std::vector<std::byte>& state, const void* from, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(from);
  state.insert(state.end(), begin, begin + size);
}

}  // namespace

const Repetition::Slice& Repetition::slice_of(const code::Function& function) {
  const auto [entry, is_new] = slices_.try_emplace(&function);
  Slice& slice = entry->second;
  if (!is_new) return slice;
  std::set<Row> rows;
  for (std::size_t i = 0; i < function.ops.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    const code::Op& op = function.ops[i];
    if (op.guard != code::kNoGuard) rows.emplace(File::kPredicate, op.guard);
    for (const code::Operand& operand : instruction.operands) {
      slice.reads_clock = slice.reads_clock || reads_clock(operand);
      if (matters(instruction)) add(rows, operand);
    }
    // The mask of a shuffle or a reduction of a warp: who takes part.
    const std::string_view opcode = instruction.words.front();
    if (opcode == "shfl" || opcode == "redux") add(rows, instruction.operands.back());
  }
  for (std::size_t before = rows.size() + 1; before != rows.size();) {
    before = rows.size();
    for (const Instruction& instruction : function.instructions) {
      if (!instruction.has_destination || !is_among(rows, instruction.operands.front())) continue;
      for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
        add(rows, instruction.operands[i]);
      }
    }
  }
  for (const auto& [file, offset] : rows) slice.rows.push_back({file, false, offset});
  return slice;
}

bool Repetition::collect(const Warp& warp, std::vector<std::byte>& state) {
  state.clear();
  append(state, &warp.lanes, sizeof warp.lanes);
  append(state, &warp.carry, sizeof warp.carry);
  for (const Frame& frame : warp.part->frames) {
    append(state, &frame.return_to, sizeof frame.return_to);
    const Slice& slice = slice_of(*frame.function);
    if (slice.reads_clock) return false;
    for (const Slot& row : slice.rows) {
      if (row.file == File::k32) {
        append(state, warp.file32.data() + frame.base32 + row.offset, code::kRowBytes32);
      } else if (row.file == File::k64) {
        append(state, warp.file64.data() + frame.base64 + row.offset, code::kRowBytes64);
      } else {
        append(state, warp.file_predicate.data() + frame.base_predicate + row.offset,
               code::kRowBytesPredicate);
      }
    }
  }
  append(state, warp.local.data(), warp.local.size() * sizeof(std::uint32_t));
  return true;
}

void Repetition::begin(const Warp& warp, const code::Op* op) {
  if (!collect(warp, state_)) return;
  num_left_ = kWatched;
  part_ = warp.part;
  op_ = op;
  accesses_ = warp.engine->accesses;
  changes_ = warp.engine->changes;
  switches_ = warp.engine->switches;
}

bool Repetition::is_seen_again(const Warp& warp, const code::Op* op) {
  const Engine& engine = *warp.engine;
  if (warp.part != part_ || engine.accesses != accesses_ || engine.changes != changes_ ||
      engine.switches != switches_) {
    num_left_ = 0;
    return false;
  }
  --num_left_;
  return op == op_ && collect(warp, now_) && now_ == state_;
}

}  // namespace run
