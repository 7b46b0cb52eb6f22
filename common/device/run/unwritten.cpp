// SPDX-License-Identifier: MIT
// Registers that hold what no thread has written. A load alone is no mistake: compilers read
// padding and the rest of a vector along. It is one where a lane uses the register.
#include <algorithm>
#include <array>
#include <utility>

#include "run/engine.h"

namespace run {
namespace {

std::uint32_t base_of(const Warp& warp, code::File file) {
  const Frame& frame = warp.part->frames.back();
  return file == code::File::k32 ? frame.base32 : frame.base64;
}

void clear(Warp& warp, code::Slot slot, std::uint32_t lanes) {
  if (slot.file != code::File::k32 && slot.file != code::File::k64) return;
  const std::uint32_t row = base_of(warp, slot.file) + slot.offset;
  for (Unwritten& mark : warp.unwritten) {
    if (mark.file == slot.file && mark.row == row) mark.lanes &= ~lanes;
  }
}

template <class Visit>
void for_each_slot(const code::Operand& operand, Visit visit) {
  if (operand.slot.exists()) visit(operand.slot);
  for (const code::Operand& element : operand.elements) for_each_slot(element, visit);
}

// Copies a value without looking at it.
bool only_copies(const code::Instruction& instruction) {
  return instruction.words.front() == "mov" && instruction.operands.at(1).elements.empty() &&
         instruction.operands.at(0).elements.empty();
}

// The operands that a selection takes, by lane, are followed like a copy's; the predicate is used.
std::uint32_t selected(const Warp& warp, const code::Instruction& instruction, std::size_t operand,
                       std::uint32_t lanes) {
  if (instruction.words.front() != "selp" || operand == 0 || operand == 3) return lanes;
  auto& frame_warp = const_cast<Warp&>(warp);
  const std::uint32_t predicate = frame_warp.predicate(instruction.operands.at(3).slot.offset);
  return lanes & (operand == 1 ? predicate : ~predicate);
}

void use(Warp& warp, code::Slot slot, std::uint32_t lanes, bool is_stored) {
  const std::uint32_t row = base_of(warp, slot.file) + slot.offset;
  for (Unwritten& mark : warp.unwritten) {
    const std::uint32_t used = mark.lanes & lanes;
    if (mark.file != slot.file || mark.row != row || used == 0) continue;
    mark.lanes &= ~used;
    // A struct that is copied with a member that was never set is no mistake yet.
    if (is_stored && mark.is_part_of_more) continue;
    for (Monitor* const monitor : warp.engine->monitors) {
      monitor->uses_unwritten(warp, *mark.read, mark.element, used);
    }
  }
}

void copy(Warp& warp, code::Slot from, code::Slot to, std::uint32_t lanes) {
  if (from.file != to.file) return use(warp, from, lanes, false);
  const std::uint32_t row = base_of(warp, from.file) + from.offset;
  std::vector<Unwritten> copies;
  for (const Unwritten& mark : warp.unwritten) {
    if (mark.file != from.file || mark.row != row || (mark.lanes & lanes) == 0) continue;
    copies.push_back(mark);
    copies.back().row = base_of(warp, to.file) + to.offset;
    copies.back().lanes &= lanes;
  }
  if (from.offset != to.offset) clear(warp, to, lanes);
  warp.unwritten.insert(warp.unwritten.end(), copies.begin(), copies.end());
}

}  // namespace

void mark_unwritten(Warp& warp, code::Slot slot, std::uint32_t lanes, bool is_part_of_more,
                    std::size_t element, const std::shared_ptr<const Access>& read) {
  if (lanes == 0) return;
  warp.unwritten.push_back({slot.file, base_of(warp, slot.file) + slot.offset, lanes,
                            is_part_of_more, static_cast<std::uint8_t>(element), read});
}

void follow_unwritten(Warp& warp, const code::Op* op, std::uint32_t lanes) {
  const code::Instruction& instruction = instruction_of(warp, op);
  const std::string_view opcode = instruction.words.front();
  if (opcode == "%block" || opcode == "bra" || opcode == "call" || opcode == "ret") return;
  const std::size_t first = instruction.has_destination ? 1 : 0;
  const bool is_copy = only_copies(instruction);
  const bool is_selection = opcode == "selp";
  if (is_copy) {
    copy(warp, instruction.operands.at(1).slot, instruction.operands.at(0).slot, lanes);
    return;
  }
  if (is_selection) {
    const code::Slot to = instruction.operands.at(0).slot;
    const std::uint32_t a = selected(warp, instruction, 1, lanes);
    const code::Slot slots[2] = {instruction.operands.at(1).slot, instruction.operands.at(2).slot};
    const std::uint32_t of[2] = {a, lanes & ~a};
    for (int i = 0; i < 2; ++i) {
      if (slots[i].offset != to.offset) copy(warp, slots[i], to, of[i]);
    }
  } else {
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
      const bool is_stored = opcode == "st" && i == 1;
      for_each_slot(instruction.operands.at(i),
                    [&](code::Slot slot) { use(warp, slot, lanes, is_stored); });
    }
    if (instruction.has_destination) {
      for_each_slot(instruction.operands.at(0), [&](code::Slot slot) { clear(warp, slot, lanes); });
    }
  }
  std::erase_if(warp.unwritten, [](const Unwritten& mark) { return mark.lanes == 0; });
}

}  // namespace run
