// SPDX-License-Identifier: MIT
// Which basic blocks lanes execute after one that they executed together.
#pragma once

#include <algorithm>
#include <cstdint>

#include "count/trace.h"

namespace simt::device {

class Branch {
 public:
  explicit Branch(std::uint32_t from_pc) : from_pc_(from_pc) {}

  // The lane's next step; the event behind it must be known, too.
  void add_lane(const Event* step) {
    if (next_.step == nullptr) next_.step = step;
    if (step->value == next_.step->value) return next_.add(step);
    if (other_.step == nullptr) other_.step = step;
    if (step->value == other_.step->value) {
      other_.add(step);
    } else {
      has_third_ = true;
    }
    is_divergent_ = is_divergent_ || step->kind() == EventKind::kStep;
    nearest_ = std::min({nearest_, behind(*next_.step), behind(*step)});
  }

  bool has_parted() const { return other_.step != nullptr; }

  // Some lanes continue at a different basic block.
  bool is_divergent() const { return is_divergent_; }

  // A device's compiler would use predicated instructions instead of a branch: each side is at most
  // one short basic block that touches no memory, and the sides join right after it.
  bool is_predicated() const {
    if (has_third_) return false;
    const bool in_order = next_.pc() < other_.pc();
    const Side& first = in_order ? next_ : other_;
    const Side& last = in_order ? other_ : next_;
    if (first.pc() <= from_pc_ || !first.is_short(last.pc())) return false;
    if (first.step[1].value == last.step->value) return true;  // an if without else
    return last.is_short(last.step[1].pc()) && first.step[1].value == last.step[1].value;
  }

  // The order of the next step, if the lanes have not parted.
  std::uint64_t next() const {
    return next_.step == nullptr ? ~std::uint64_t{0} : next_.step->value;
  }

  // Inside the branch instruction: right before the nearest basic block behind it, which begins
  // with a call of call_bytes.
  std::uint32_t place(std::uint32_t call_bytes) const {
    return nearest_ == UINT32_MAX ? from_pc_ : nearest_ - call_bytes;
  }

 private:
  // About seven instructions with their operands, and the hook's call.
  static constexpr std::uint32_t kMaxPredicatedBytes = 64;

  // The lanes that make the same next step.
  struct Side {
    const Event* step = nullptr;  // of the first of them
    bool goes_on_alike = true;    // all make the same step after it, and nothing in between

    void add(const Event* other) {
      goes_on_alike = goes_on_alike && other[1].is_step() && other[1].value == step[1].value;
    }
    std::uint32_t pc() const { return step->pc(); }
    bool is_short(std::uint32_t end_pc) const {
      return goes_on_alike && end_pc > pc() && end_pc - pc() <= kMaxPredicatedBytes;
    }
  };

  std::uint32_t behind(const Event& step) const {
    return step.pc() > from_pc_ ? step.pc() : UINT32_MAX;
  }

  std::uint32_t from_pc_;
  Side next_;   // the side of the first lane
  Side other_;  // of the first lane with another step
  bool has_third_ = false;
  bool is_divergent_ = false;
  std::uint32_t nearest_ = UINT32_MAX;
};

}  // namespace simt::device
