// SPDX-License-Identifier: MIT
// Operations of a warp: shuffles, votes, matches, reductions, __syncwarp. All lanes that a mask
// names come to the operation before any of them goes on, whatever paths they took.
#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "report/waiting_text.h"
#include "run/engine.h"

namespace run {
namespace {

using code::File;
using code::Instruction;
using code::Op;

enum class Kind : std::uint8_t {
  kSync,
  kShuffle,
  kAll,
  kAny,
  kUniform,
  kBallot,
  kMatchAny,
  kMatchAll,
  kReduce,
  kElect,
};

// Only what an operation uses is filled, for the lanes that take part.
struct Values {
  std::array<std::uint64_t, kWarpSize> a;
  std::array<std::uint32_t, kWarpSize> b, c;
  std::uint32_t predicate = 0;
};
struct Results {
  std::array<std::uint64_t, kWarpSize> d;
  std::uint32_t predicate = 0;
};

struct WarpForm {
  Kind kind = Kind::kSync;
  code::Slot d, second, a, b, c, mask;
  enum class Mode : std::uint8_t { kUp, kDown, kButterfly, kIndex } mode = Mode::kIndex;
  std::uint32_t (*combine)(std::uint32_t, std::uint32_t) = nullptr;  // kReduce
  const Instruction* instruction = nullptr;
};

const WarpForm& form_of(const Op* op) { return *static_cast<const WarpForm*>(op->details); }

// The frames of parts differ in where their rows are.
class Rows {
 public:
  Rows(Warp& warp, const Part& part) : warp_(warp), frame_(part.frames.back()) {}
  std::uint32_t* row32(code::Slot slot) const {
    return reinterpret_cast<std::uint32_t*>(warp_.file32.data() + frame_.base32 + slot.offset);
  }
  std::uint64_t* row64(code::Slot slot) const {
    return reinterpret_cast<std::uint64_t*>(warp_.file64.data() + frame_.base64 + slot.offset);
  }
  std::uint32_t& predicate(code::Slot slot) const {
    return *reinterpret_cast<std::uint32_t*>(warp_.file_predicate.data() + frame_.base_predicate +
                                             slot.offset);
  }

 private:
  Warp& warp_;
  const Frame& frame_;
};

// Lanes of a row, which vector instructions move as a whole.
template <class To, class From>
void copy_lanes(To* to, const From* from, std::uint32_t lanes) {
  if (lanes == ~std::uint32_t{0}) {
    for (int i = 0; i < kWarpSize; ++i) to[i] = static_cast<To>(from[i]);
  } else {
    for_each_lane(lanes, [&](int lane) { to[lane] = static_cast<To>(from[lane]); });
  }
}

void collect(Values& values, const WarpForm& form, const Rows& rows, std::uint32_t lanes) {
  if (form.a.file == File::kPredicate) {
    const std::uint32_t predicate = rows.predicate(form.a);
    values.predicate |= (form.a.is_negated ? ~predicate : predicate) & lanes;
  }
  if (form.a.file == File::k32) copy_lanes(values.a.data(), rows.row32(form.a), lanes);
  if (form.a.file == File::k64) copy_lanes(values.a.data(), rows.row64(form.a), lanes);
  if (form.b.exists()) copy_lanes(values.b.data(), rows.row32(form.b), lanes);
  if (form.c.exists()) copy_lanes(values.c.data(), rows.row32(form.c), lanes);
}

void give(const Results& results, const WarpForm& form, const Rows& rows, std::uint32_t lanes) {
  for (const code::Slot& slot : {form.second, form.d}) {
    if (slot.file != File::kPredicate) continue;
    std::uint32_t& predicate = rows.predicate(slot);
    predicate = (predicate & ~lanes) | (results.predicate & lanes);
  }
  if (form.d.file == File::k32) copy_lanes(rows.row32(form.d), results.d.data(), lanes);
  if (form.d.file == File::k64) copy_lanes(rows.row64(form.d), results.d.data(), lanes);
}

struct Source {
  int lane;
  bool is_in_range;
};
Source source_of(WarpForm::Mode mode, int lane, std::uint32_t b, std::uint32_t c) {
  const int segment = static_cast<int>(c >> 8 & 31);
  const int clamp = static_cast<int>(c & 31);
  const int distance = static_cast<int>(b & 31);
  const int low = lane & segment;
  const int high = low | (clamp & ~segment);
  int from = lane;
  bool is_in_range = false;
  switch (mode) {
    case WarpForm::Mode::kUp:
      from = lane - distance;
      is_in_range = from >= high;
      break;
    case WarpForm::Mode::kDown:
      from = lane + distance;
      is_in_range = from <= high;
      break;
    case WarpForm::Mode::kButterfly:
      from = lane ^ distance;
      is_in_range = from <= high;
      break;
    case WarpForm::Mode::kIndex:
      from = low | (distance & ~segment);
      is_in_range = from <= high;
      break;
  }
  return {is_in_range ? from : lane, is_in_range};
}

report::Caller caller_of(const Warp& warp, int lane, std::uint32_t mask) {
  return {thread_id(warp, lane), static_cast<std::uint32_t>(lane), mask};
}

// The third operand of shfl has 32 - width, of which the bits from the highest on are set.
void check_width(Warp& warp, const WarpForm& form, const Values& values, std::uint32_t group,
                 std::uint32_t mask) {
  const int lane = std::countr_zero(group);
  const std::uint32_t segment = values.c[static_cast<std::size_t>(lane)] >> 8 & 31;
  if (std::has_single_bit(32 - segment)) [[likely]]
    return;
  report_at(warp, *form.instruction, report::Kind::kBarrierDivergence,
            report::shuffle_width_text(caller_of(warp, lane, mask), 32 - segment));
}

// The lanes of `group` whose element is `value`.
template <class T>
std::uint32_t lanes_with(const T* row, T value, std::uint32_t group) {
  std::uint32_t found = 0;
  for (int i = 0; i < kWarpSize; ++i) found |= static_cast<std::uint32_t>(row[i] == value) << i;
  return found & group;
}

void compute(Results& results, Warp& warp, const WarpForm& form, const Values& values,
             std::uint32_t group, std::uint32_t mask) {
  const auto give_all = [&](std::uint64_t value) { results.d.fill(value); };
  const std::uint32_t votes = values.predicate & group;
  const int first = std::countr_zero(group);
  switch (form.kind) {
    case Kind::kSync:
      break;
    case Kind::kShuffle:
      check_width(warp, form, values, group, mask);
      for_each_lane(group, [&](int lane) {
        const auto i = static_cast<std::size_t>(lane);
        const Source from = source_of(form.mode, lane, values.b[i], values.c[i]);
        const bool takes_part = (group >> from.lane & 1) != 0;
        results.predicate |= from.is_in_range ? 1U << lane : 0;
        results.d[i] =
            takes_part ? values.a[static_cast<std::size_t>(from.lane)] : memory::kPoisonWord;
        if (!takes_part && (mask >> from.lane & 1) != 0) {
          report_at(warp, *form.instruction, report::Kind::kBarrierDivergence,
                    report::missing_source_text(caller_of(warp, lane, mask),
                                                static_cast<std::uint32_t>(from.lane)));
        }
      });
      break;
    case Kind::kAll:
      results.predicate = votes == group ? ~0U : 0;
      break;
    case Kind::kAny:
      results.predicate = votes != 0 ? ~0U : 0;
      break;
    case Kind::kUniform:
      results.predicate = votes == 0 || votes == group ? ~0U : 0;
      break;
    case Kind::kBallot:
      give_all(votes);
      break;
    case Kind::kMatchAny:
      for (std::uint32_t rest = group; rest != 0;) {
        const std::uint64_t value = values.a[static_cast<std::size_t>(std::countr_zero(rest))];
        const std::uint32_t equal = lanes_with(values.a.data(), value, group);
        for_each_lane(equal, [&](int lane) { results.d[static_cast<std::size_t>(lane)] = equal; });
        rest &= ~equal;
      }
      break;
    case Kind::kMatchAll: {
      const std::uint64_t value = values.a[static_cast<std::size_t>(first)];
      const bool agree = lanes_with(values.a.data(), value, group) == group;
      give_all(agree ? group : 0);
      results.predicate = agree ? ~0U : 0;
      break;
    }
    case Kind::kReduce: {
      auto total = static_cast<std::uint32_t>(values.a[static_cast<std::size_t>(first)]);
      for_each_lane(group & (group - 1), [&](int lane) {
        total = form.combine(total,
                             static_cast<std::uint32_t>(values.a[static_cast<std::size_t>(lane)]));
      });
      give_all(total);
      break;
    }
    case Kind::kElect:
      give_all(static_cast<std::uint64_t>(first));
      results.predicate = 1U << first;
      break;
  }
}

bool may_meet(const WarpForm& a, const WarpForm& b) {
  return a.kind == b.kind && a.combine == b.combine;
}

// Lanes that the mask names have left the kernel. One of them was last in the same call, with
// another mask: so no lane of the two masks has got what it asked for.
void check_absent_lanes(Warp& warp, const Instruction& instruction, std::uint32_t group,
                        std::uint32_t mask) {
  for (std::uint32_t absent = mask & ~warp.live & warp.after_partial; absent != 0;
       absent &= absent - 1) {
    const int other = std::countr_zero(absent);
    const Warp::PartialOperation& last = warp.partial[static_cast<std::size_t>(other)];
    if (last.instruction != &instruction || last.mask == mask) continue;
    report_at(warp, instruction, report::Kind::kBarrierDivergence,
              report::different_masks_text(caller_of(warp, std::countr_zero(group), mask),
                                           static_cast<std::uint32_t>(other), last.mask));
    return;
  }
}

void note_operation(Warp& warp, const Instruction& instruction, std::uint32_t group,
                    std::uint32_t mask) {
  const bool is_partial = mask != ~0U;
  const std::uint32_t changed = is_partial ? group : group & warp.after_partial;
  for_each_lane(changed, [&](int lane) {
    warp.partial[static_cast<std::size_t>(lane)] = {is_partial ? &instruction : nullptr, mask};
  });
  warp.after_partial = is_partial ? warp.after_partial | group : warp.after_partial & ~group;
}

// A part of the warp that has come to the operation.
struct Member {
  Part* part;
  const Op* op;
  std::uint32_t lanes;
};

void perform(Warp& warp, std::span<const Member> members, std::uint32_t group, std::uint32_t mask) {
  Values values;
  for (const Member& member : members) {
    collect(values, form_of(member.op), Rows(warp, *member.part), member.lanes);
  }
  const WarpForm& form = form_of(members.front().op);
  Results results;
  compute(results, warp, form, values, group, mask);
  check_absent_lanes(warp, *form.instruction, group, mask);
  note_operation(warp, *form.instruction, group, mask);
  for (const Member& member : members) {
    give(results, form_of(member.op), Rows(warp, *member.part), member.lanes);
  }
  // Not a change: a loop that polls may vote in each round.
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->warp_operation(warp, group, *form.instruction);
    if (form.kind == Kind::kSync) monitor->lanes_meet(warp, group, *form.instruction);
  }
}

// Whether the lanes, which are at `op`, can go on: all others of their mask are there or have
// ended. Those that waited are released.
bool meet(Warp& warp, Part& part, const Op* op, std::uint32_t lanes, std::uint32_t mask) {
  const std::uint32_t needed = mask & warp.live;
  std::array<Member, kWarpSize> members;
  members[0] = {&part, op, lanes};
  std::size_t num_members = 1;
  std::uint32_t there = lanes;
  if ((needed & ~there) != 0) {
    for (const auto& other : warp.parts) {
      if (other.get() == &part || other->waiting != Waiting::kWarp || other->mask != mask) continue;
      if (!may_meet(form_of(other->next), form_of(op))) continue;
      members[num_members++] = {other.get(), other->next, other->lanes};
      there |= other->lanes;
    }
    if ((needed & ~there) != 0) return false;
  }
  perform(warp, std::span(members).first(num_members), there, mask);
  for (std::size_t i = 1; i < num_members; ++i) {
    members[i].part->waiting = Waiting::kNothing;
    ++members[i].part->next;
  }
  return true;
}

const Op* warp_operation(Warp& warp, const Op* op, std::uint32_t lanes) {
  const WarpForm& form = form_of(op);
  const std::uint32_t* const masks = warp.row32<std::uint32_t>(form.mask.offset);
  for (std::uint32_t rest = lanes; rest != 0;) {
    const int first = std::countr_zero(rest);
    std::uint32_t mask = masks[first];
    std::uint32_t group = 0;
    if ((mask >> first & 1) == 0) {
      report_at(warp, *form.instruction, report::Kind::kBarrierDivergence,
                report::outside_mask_text(caller_of(warp, first, mask)));
      mask = group = 1U << first;
    } else {
      group = lanes_with(masks, mask, rest & mask);
    }
    rest &= ~group;
    if (meet(warp, *warp.part, op, group, mask)) continue;
    if (group == warp.lanes) {
      warp.part->waiting = Waiting::kWarp;
      warp.part->mask = mask;
      warp.part->next = op;
      return nullptr;
    }
    Part& other = split(warp, op, group, op);
    other.waiting = Waiting::kWarp;
    other.mask = mask;
  }
  return op + 1;
}

const Op* active_mask(Warp& warp, const Op* op, std::uint32_t lanes) {
  std::uint32_t* const row = warp.row32<std::uint32_t>(op->d);
  for_each_lane(lanes, [&](int lane) { row[lane] = lanes; });
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->warp_operation(warp, lanes, instruction_of(warp, op));
  }
  return op + 1;
}

void choose_reduction(WarpForm& form, const Instruction& instruction) {
  using U = std::uint32_t;
  const bool is_signed = instruction.has("s32");
  const auto s = [](U x) { return static_cast<std::int32_t>(x); };
  static_cast<void>(s);
  if (instruction.has("add")) form.combine = [](U a, U b) { return a + b; };
  if (instruction.has("and")) form.combine = [](U a, U b) { return a & b; };
  if (instruction.has("or")) form.combine = [](U a, U b) { return a | b; };
  if (instruction.has("xor")) form.combine = [](U a, U b) { return a ^ b; };
  if (instruction.has("min")) {
    form.combine = is_signed ? +[](U a, U b) { return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b; }
                             : +[](U a, U b) { return std::min(a, b); };
  }
  if (instruction.has("max")) {
    form.combine = is_signed ? +[](U a, U b) { return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b; }
                             : +[](U a, U b) { return std::max(a, b); };
  }
  if (form.combine == nullptr) throw std::runtime_error("a warp reduction that is not known");
}

}  // namespace

void complete_warp_operations(Warp& warp) {
  for (bool again = true; again;) {
    again = false;
    for (const auto& part : warp.parts) {
      if (part->waiting != Waiting::kWarp) continue;
      if (!meet(warp, *part, part->next, part->lanes, part->mask)) continue;
      part->waiting = Waiting::kNothing;
      ++part->next;
      again = true;
      break;
    }
  }
}

code::Handler warp_handler(Op& op, const Instruction& instruction, code::Function& function) {
  const std::string_view opcode = instruction.words.front();
  const auto& operands = instruction.operands;
  if (opcode == "activemask") return active_mask;
  auto form = std::make_shared<WarpForm>();
  form->instruction = &instruction;
  const auto take = [&](std::initializer_list<code::Slot*> slots, std::size_t first) {
    for (code::Slot* const slot : slots) {
      if (first < operands.size()) *slot = operands.at(first).slot;
      ++first;
    }
  };
  if (opcode == "bar" && instruction.has("warp")) {
    form->kind = Kind::kSync;
    take({&form->mask}, 0);
  } else if (opcode == "shfl") {
    form->kind = Kind::kShuffle;
    form->mode = instruction.has("up")     ? WarpForm::Mode::kUp
                 : instruction.has("down") ? WarpForm::Mode::kDown
                 : instruction.has("bfly") ? WarpForm::Mode::kButterfly
                                           : WarpForm::Mode::kIndex;
    take({&form->d, &form->a, &form->b, &form->c, &form->mask}, 0);
  } else if (opcode == "vote") {
    form->kind = instruction.has("ballot") ? Kind::kBallot
                 : instruction.has("all")  ? Kind::kAll
                 : instruction.has("any")  ? Kind::kAny
                                           : Kind::kUniform;
    take({&form->d, &form->a, &form->mask}, 0);
  } else if (opcode == "match") {
    form->kind = instruction.has("all") ? Kind::kMatchAll : Kind::kMatchAny;
    take({&form->d, &form->a, &form->mask}, 0);
  } else if (opcode == "redux") {
    form->kind = Kind::kReduce;
    choose_reduction(*form, instruction);
    take({&form->d, &form->a, &form->mask}, 0);
  } else if (opcode == "elect") {
    form->kind = Kind::kElect;
    take({&form->d, &form->mask}, 0);
  } else {
    return nullptr;
  }
  if (!form->mask.exists()) throw std::runtime_error("a warp operation without a mask (.sync)");
  if (instruction.has_destination) form->second = operands.at(0).second;
  op.details = form.get();
  function.details.push_back(std::move(form));
  return warp_operation;
}

}  // namespace run
