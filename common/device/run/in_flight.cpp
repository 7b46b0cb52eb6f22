// SPDX-License-Identifier: MIT
// Sums that a wgmma may still be computing, in registers and in local memory, where compilers keep
// arrays that have no register, and spilled registers. Copies of a sum are followed: only a use of
// it is a mistake.
#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <tuple>

#include "run/access.h"
#include "run/follow.h"

namespace run {
namespace {

using code::Instruction;
using code::Op;

// What the lanes hold takes the place of what they held.
void put(InFlight& to, const InFlight& from, std::uint32_t lanes) {
  const std::uint32_t marked = from.lanes & lanes;
  to.lanes = (to.lanes & ~lanes) | marked;
  if (marked != 0) std::tie(to.by, to.group) = std::tie(from.by, from.group);
}

class Follower {
 public:
  Follower(Warp& warp, const Op* op, std::uint32_t lanes)
      : warp_(warp), op_(op), lanes_(lanes), instruction_(instruction_of(warp, op)) {}

  void follow() {
    const std::string_view opcode = instruction_.words.front();
    if (opcode == "ld" || opcode == "st") return follow_memory(opcode == "ld");
    if (only_copies(instruction_)) {
      const InFlight* const from = find(instruction_.operands[1].slot);
      return define(instruction_.operands[0].slot, from == nullptr ? InFlight{} : *from, lanes_);
    }
    // It adds to its sums in the order of the products.
    use_all(instruction_.has_destination || opcode == "wgmma" ? 1 : 0);
    if (!instruction_.has_destination) return;
    for_each_slot(instruction_.operands[0],
                  [&](const code::Slot& slot) { define(slot, {}, lanes_); });
  }

 private:
  InFlight* find(const code::Slot& slot) const {
    auto& registers = warp_.products.registers;
    const std::size_t row = (warp_.part->frames.back().base32 + slot.offset) / code::kRowBytes32;
    return slot.file == code::File::k32 && row < registers.size() ? &registers[row] : nullptr;
  }

  void define(const code::Slot& slot, const InFlight& value, std::uint32_t lanes) const {
    if (InFlight* const found = find(slot)) put(*found, value, lanes);
  }

  void use_all(std::size_t first_operand) const {
    for (std::size_t i = first_operand; i < instruction_.operands.size(); ++i) {
      for_each_slot(instruction_.operands[i], [&](const code::Slot& slot) { use(slot, lanes_); });
    }
  }

  void use(const code::Slot& slot, std::uint32_t lanes) const {
    InFlight* const found = find(slot);
    if (found == nullptr || (found->lanes & lanes) == 0) return;
    const code::Program::Line line = warp_.engine->line_of(*found->by);
    report_at(warp_, instruction_, report::Kind::kRace,
              thread_name(warp_, std::countr_zero(found->lanes & lanes)) +
                  " uses a register that the wgmma in line " + std::to_string(line.line) +
                  " may still be computing" +
                  (found->group < warp_.products.num_groups
                       ? "; its group is committed, and wgmma.wait_group must come first"
                       : "; wgmma.commit_group and wgmma.wait_group must come first"));
    found->lanes = 0;
  }

  // The word of the lane's local memory that it accesses first; none: it accesses another space.
  std::optional<std::uint64_t> local_word_of(const MemoryForm& form, int lane) const {
    const std::uint64_t address =
        (form.has_32_bit_addresses ? warp_.row32<std::uint32_t>(op_->a)[lane]
                                   : warp_.row64<std::uint64_t>(op_->a)[lane]) +
        static_cast<std::uint64_t>(op_->immediate);
    if (form.is_generic) {
      const std::uint64_t own = address - local_window(warp_, lane);
      return own < memory::kLocalWindowBytes ? std::optional(own / 4) : std::nullopt;
    }
    const bool is_local = form.prototype.space == Space::kLocal ||
                          (form.prototype.space == Space::kParam && !form.is_launch_parameter);
    return is_local ? std::optional(address / 4) : std::nullopt;
  }

  void follow_memory(bool is_load) const {
    const auto& form = *static_cast<const MemoryForm*>(op_->details);
    for_each_slot(instruction_.operands[is_load ? 1 : 0],
                  [&](const code::Slot& address) { use(address, lanes_); });
    for (std::uint32_t rest = lanes_; rest != 0;) {  // mostly once: all are at one place
      const std::optional<std::uint64_t> place = local_word_of(form, std::countr_zero(rest));
      std::uint32_t same = 0;
      for_each_lane(rest, [&](int lane) {
        if (local_word_of(form, lane) == place) same |= 1U << lane;
      });
      for (std::size_t e = 0; e < form.prototype.num_elements; ++e) {
        const std::size_t words_before = e * form.prototype.element_bytes / 4;
        if (!place) {
          is_load ? define(form.rows[e], {}, same) : use(form.rows[e], same);
        } else if (is_load) {
          const auto found = warp_.products.local.find(*place + words_before);
          const bool is_marked = found != warp_.products.local.end();
          define(form.rows[e], is_marked ? found->second : InFlight{}, same);
        } else {
          store(form.rows[e], *place + words_before, same);
        }
      }
      rest &= ~same;
    }
  }

  void store(const code::Slot& slot, std::uint64_t word, std::uint32_t lanes) const {
    auto& local = warp_.products.local;
    const InFlight* const row = find(slot);
    const InFlight value = row == nullptr ? InFlight{} : *row;
    const auto found = local.find(word);
    if (found != local.end()) {
      put(found->second, value, lanes);
    } else if ((value.lanes & lanes) != 0) {
      put(local[word], value, lanes);
    }
  }

  Warp& warp_;
  const Op* op_;
  std::uint32_t lanes_;
  const Instruction& instruction_;
};

}  // namespace

void follow_products(Warp& warp, const Op* op, std::uint32_t lanes) {
  if (!only_controls(instruction_of(warp, op))) Follower(warp, op, lanes).follow();
}

}  // namespace run
