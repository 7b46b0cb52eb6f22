// SPDX-License-Identifier: MIT
// Registers that hold what no thread has written. A load alone is no mistake: compilers read
// padding and the rest of a vector along. It is one where a lane uses the register.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "run/engine.h"
#include "run/follow.h"

namespace run {
namespace {

std::uint32_t base_of(const Warp& warp, code::File file) {
  const Frame& frame = warp.part->frames.back();
  return file == code::File::k32 ? frame.base32 : frame.base64;
}

// Those of the register in any of the lanes.
template <class Visit>
void for_each_mark(Warp& warp, code::Slot slot, std::uint32_t lanes, Visit visit) {
  if (slot.file != code::File::k32 && slot.file != code::File::k64) return;
  const std::uint32_t row = base_of(warp, slot.file) + slot.offset;
  for (Unwritten& mark : warp.unwritten) {
    if (mark.file == slot.file && mark.row == row && (mark.lanes & lanes) != 0) visit(mark);
  }
}

void clear(Warp& warp, code::Slot slot, std::uint32_t lanes) {
  for_each_mark(warp, slot, lanes, [&](Unwritten& mark) { mark.lanes &= ~lanes; });
}

// Clang copies a struct of two words by `low | high << 32`: this is the shift.
bool shifts_a_word_up(const code::Instruction& instruction) {
  return instruction.words.front() == "shl" && instruction.words.back() == "b64" &&
         instruction.operands.at(2).is_immediate && instruction.operands.at(2).bits == 32;
}

// And this is its "or".
bool joins_two_words(Warp& warp, const code::Instruction& instruction, std::uint32_t lanes) {
  if (instruction.words.front() != "or" || instruction.words.back() != "b64") return false;
  bool is_one_part_of_more = false;
  for (const std::size_t i : {1, 2}) {
    for_each_mark(warp, instruction.operands.at(i).slot, lanes,
                  [&](const Unwritten& mark) { is_one_part_of_more |= mark.is_part_of_more; });
  }
  return is_one_part_of_more;
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
  for_each_mark(warp, slot, lanes, [&](Unwritten& mark) {
    const std::uint32_t used = mark.lanes & lanes;
    mark.lanes &= ~used;
    // A struct that is copied with a member that was never set is no mistake yet.
    if (is_stored && mark.is_part_of_more) return;
    for (Monitor* const monitor : warp.engine->monitors) {
      monitor->uses_unwritten(warp, *mark.read, mark.element, used);
    }
  });
}

// Copies marks to `to`, which may be one of the sources.
void copy(Warp& warp, std::initializer_list<code::Slot> sources, code::Slot to, std::uint32_t lanes,
          bool as_part_of_more = false) {
  std::vector<Unwritten> copies;
  for (const code::Slot from : sources) {
    if (from.file != to.file) use(warp, from, lanes, false);
    for_each_mark(warp, from, lanes, [&](const Unwritten& mark) {
      copies.push_back(mark);
      copies.back().row = base_of(warp, to.file) + to.offset;
      copies.back().lanes &= lanes;
      copies.back().is_part_of_more |= as_part_of_more;
    });
  }
  clear(warp, to, lanes);
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
  if (only_controls(instruction)) return;
  const std::string_view opcode = instruction.words.front();
  const std::size_t first = instruction.has_destination ? 1 : 0;
  const auto slot = [&](std::size_t i) { return instruction.operands.at(i).slot; };
  if (only_copies(instruction)) {
    copy(warp, {slot(1)}, slot(0), lanes);
  } else if (shifts_a_word_up(instruction)) {
    copy(warp, {slot(1)}, slot(0), lanes, true);
  } else if (joins_two_words(warp, instruction, lanes)) {
    copy(warp, {slot(1), slot(2)}, slot(0), lanes, true);
  } else if (opcode == "selp") {
    const std::uint32_t a = selected(warp, instruction, 1, lanes);
    copy(warp, {slot(1)}, slot(0), a);
    copy(warp, {slot(2)}, slot(0), lanes & ~a);
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
