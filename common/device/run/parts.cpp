// SPDX-License-Identifier: MIT
// How a warp splits at a branch, and how its parts come together again.
#include <algorithm>
#include <iterator>
#include <utility>

#include "run/engine.h"

namespace run {
namespace {

// Joins are few and live as long as the launch; those that are done are used again.
std::vector<std::unique_ptr<Join>> g_joins;
std::vector<Join*> g_free_joins;

Join& new_join() {
  if (g_free_joins.empty()) {
    g_joins.push_back(std::make_unique<Join>());
    g_free_joins.push_back(g_joins.back().get());
  }
  Join& join = *g_free_joins.back();
  g_free_joins.pop_back();
  join = {};
  return join;
}

void remove(Warp& warp, const Part& part) {
  const auto found = std::ranges::find(warp.parts, &part, &std::unique_ptr<Part>::get);
  warp.spare_parts.push_back(std::move(*found));
  warp.parts.erase(found);
}

std::uint32_t lanes_of_others(const Warp& warp) { return warp.live & ~warp.part->lanes; }

void refresh(Warp& warp) {
  warp.lanes = warp.part->lanes;
  warp.only = lanes_of_others(warp) == 0 ? ~std::uint32_t{0} : warp.lanes;
}

// Everyone is here: the waiting part goes on with all lanes.
void complete(Join& join) {
  Part& part = *join.waiting;
  part.lanes = join.arrived;
  part.waiting = Waiting::kNothing;
  part.join = join.outer;
  g_free_joins.push_back(&join);
}

// The post-dominator of the block in which the op is, as an op and a depth; for the last block of a
// function, where its caller goes on. Null: the end of the kernel.
std::pair<const code::Op*, std::size_t> meeting_point(const Warp& warp, const code::Op* op) {
  const Frame& frame = warp.part->frames.back();
  const code::Function& function = *frame.function;
  const code::Instruction& instruction = function.instructions[op - function.ops.data()];
  const std::uint32_t at = function.blocks[instruction.block].post_dominator;
  if (at != code::Block::kNone) {
    return {&function.ops[function.blocks[at].begin], warp.part->frames.size()};
  }
  return {frame.return_to, warp.part->frames.size() - 1};
}

}  // namespace

const code::Instruction& instruction_of(const Warp& warp, const code::Op* op) {
  const code::Function& function = *warp.part->frames.back().function;
  return function.instructions[static_cast<std::size_t>(op - function.ops.data())];
}

void load_frame(Warp& warp) {
  const Frame& frame = warp.part->frames.back();
  warp.r32 = warp.file32.data() + frame.base32;
  warp.r64 = warp.file64.data() + frame.base64;
  warp.predicates = warp.file_predicate.data() + frame.base_predicate;
  refresh(warp);
}

Part& new_part(Warp& warp, std::uint32_t lanes, const code::Op* next) {
  if (warp.spare_parts.empty()) warp.spare_parts.push_back(std::make_unique<Part>());
  warp.parts.push_back(std::move(warp.spare_parts.back()));
  warp.spare_parts.pop_back();
  Part& part = *warp.parts.back();
  std::vector<Frame> frames = std::move(part.frames);  // for its room
  frames.clear();
  part = {.next = next, .lanes = lanes, .frames = std::move(frames)};
  return part;
}

void remove_all_parts(Warp& warp) {
  std::ranges::move(warp.parts, std::back_inserter(warp.spare_parts));
  warp.parts.clear();
}

Part& split_off(Warp& warp, std::uint32_t lanes, const code::Op* next) {
  Part& own = *warp.part;
  Part& other = new_part(warp, lanes, next);
  other.frames = own.frames;
  other.join = own.join;
  other.last_barrier = own.last_barrier;
  own.lanes &= ~lanes;
  refresh(warp);
  return other;
}

Part& split(Warp& warp, const code::Op* op, std::uint32_t lanes, const code::Op* next) {
  const auto [at, depth] = meeting_point(warp, op);
  if (at != nullptr && !(warp.part->join != nullptr && warp.part->join->at == at &&
                         warp.part->join->depth == depth && !warp.part->join->is_broken)) {
    Join& join = new_join();
    join.at = at;
    join.depth = depth;
    join.expected = warp.part->lanes;
    join.outer = warp.part->join;
    warp.part->join = &join;
  }
  return split_off(warp, lanes, next);
}

// The running part is at the place of a join, or passes one. Returns where it goes on, or null.
const code::Op* arrive_at_join(Warp& warp, const code::Op* op) {
  for (;;) {
    Part& part = *warp.part;
    Join* const join = part.join;
    if (join == nullptr || join->at != op || join->depth != part.frames.size()) return op;
    if (join->is_broken) {
      part.join = join->outer;
      continue;
    }
    join->arrived |= part.lanes;
    if (join->arrived == join->expected) {
      if (join->waiting != nullptr) remove(warp, *join->waiting);
      join->waiting = &part;
      complete(*join);
      refresh(warp);
      continue;
    }
    part.next = op;
    if (join->waiting == nullptr) {
      join->waiting = &part;
      part.waiting = Waiting::kJoin;
    } else {
      join->waiting->lanes |= part.lanes;
      remove(warp, part);
    }
    return nullptr;
  }
}

bool break_joins(Warp& warp) {
  bool any = false;
  for (const auto& part : warp.parts) {
    if (part->waiting != Waiting::kJoin) continue;
    part->join->is_broken = true;  // never used again: others may still point to it
    part->waiting = Waiting::kNothing;
    part->join = part->join->outer;
    any = true;
  }
  return any;
}

void end_lanes(Warp& warp, std::uint32_t lanes) {
  Part& part = *warp.part;
  warp.live &= ~lanes;
  part.lanes &= ~lanes;
  Block& block = *warp.block;
  block.live -= static_cast<std::uint32_t>(std::popcount(lanes));
  ++warp.engine->changes;
  // From inside to outside: a join that everyone else has reached is complete now.
  for (Join* join = part.join; join != nullptr;) {
    Join* const outer = join->outer;
    join->expected &= ~lanes;
    if (!join->is_broken && join->waiting != nullptr && join->arrived == join->expected) {
      complete(*join);
    }
    join = outer;
  }
  if (part.lanes == 0) {
    remove(warp, part);
    warp.part = nullptr;
    warp.lanes = 0;
  } else {
    refresh(warp);
  }
  release_barriers(block_of(warp));
  complete_warp_operations(warp);
}

void reset_joins() {
  g_free_joins.clear();
  for (const auto& join : g_joins) g_free_joins.push_back(join.get());
}

}  // namespace run
