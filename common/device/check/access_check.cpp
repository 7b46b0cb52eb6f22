// SPDX-License-Identifier: MIT
#include "check/access_check.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "check/lanes.h"
#include "memory/address_map.h"
#include "run/access.h"

namespace check {
namespace {

bool acquires(const run::Access& access) {
  if (access.is_barrier) return false;
  return access.is_atomic || (access.reads && access.order != run::Order::kWeak) ||
         (access.reads && access.bypasses_cache);
}
bool releases(const run::Access& access) {
  return access.order == run::Order::kRelease || access.order == run::Order::kAcqRel;
}

bool is_plain_read(const run::Access& access) {
  return !access.writes && access.order == run::Order::kWeak && !access.bypasses_cache;
}

// Whether the access is to whole words, in a space that has a shadow, and is none of a copy's.
bool is_of_words(const run::Access& access) {
  return access.size_bytes >= kWordBytes && access.size_bytes <= 16 &&
         std::has_single_bit(access.size_bytes) && !access.is_async &&
         (access.space == run::Space::kGlobal || access.space == run::Space::kShared);
}

}  // namespace

RaceTarget AccessCheck::target_of(const BlockState& owner, const run::Access& access) const {
  if (access.space == run::Space::kShared) {
    return {&owner.shared.shadow(), owner.shared.size_bytes(), owner.block->shared, true};
  }
  return {&device_.shadow(), memory::kDeviceRangeBytes,
          reinterpret_cast<const std::byte*>(memory::kDeviceBase), false};
}

// Of an access to one word per lane, which lie in one or two granules: most accesses.
[[gnu::always_inline]] inline AccessCheck::Known AccessCheck::known_of(
    const BlockState& block, const run::Access& access, const RaceTarget& target) const {
  if (access.size_bytes != kWordBytes) return Known::kNothing;
  const Shadow& shadow = *target.shadow;
  const std::uint64_t offset = access.base - shadow.base;
  if (offset % kWordBytes != 0 || offset >= target.size_bytes) return Known::kNothing;
  std::uint64_t granule = offset / kGranuleBytes;
  const std::uint32_t word = Shadow::word_of(offset);
  const bool is_uniform = access.pattern == run::Pattern::kUniform;
  std::uint32_t words = is_uniform ? 1u << word : access.lanes << word;
  std::uint32_t rest = is_uniform || word == 0 ? 0 : access.lanes >> (kGranuleWords - word);
  bool is_settled = is_plain_read(access);
  for (;;) {
    const Digest& digest = shadow.digests[skewed(granule)];
    if (!digest.is_written) return Known::kNothing;
    is_settled = is_settled && race_check_.is_settled(block.order, digest, words, target.is_shared);
    if (rest == 0) return is_settled ? Known::kSettled : Known::kWritten;
    if (++granule * kGranuleBytes >= target.size_bytes) return Known::kNothing;
    words = std::exchange(rest, 0);
  }
}

// An access to several granules. Returns false if that is for the other checks to do.
bool AccessCheck::check_scattered(const BlockState& block, const run::Warp& warp,
                                  const run::Access& access, const RaceTarget& target) const {
  const Shadow& shadow = *target.shadow;
  Groups groups;
  const std::uint32_t num_groups = find_granules(
      access.address, access.lanes, {shadow.base, target.size_bytes}, access.size_bytes, groups);
  if (num_groups == 0) return false;
  const bool may_be_settled = is_plain_read(access);
  std::uint32_t num_open = 0;
  for (std::uint32_t i = 0; i < num_groups; ++i) {
    const Digest& digest = shadow.digests[skewed(groups[i].granule)];
    if (!digest.is_written) return false;
    const bool is_done =
        may_be_settled &&
        race_check_.is_settled(block.order, digest, groups[i].words, target.is_shared);
    if (!is_done) groups[num_open++] = groups[i];
  }
  if (num_open != 0) race_check_.check(block, warp, access, target, {groups.data(), num_open});
  return true;
}

void AccessCheck::note_order(BlockState& block, const run::Warp& warp, const run::Access& access) {
  if (access.order == run::Order::kWeak && !access.is_atomic && !access.bypasses_cache) return;
  if (releases(access)) {
    order_.release(block.order, warp.id, access.lanes, access.scope != run::Scope::kBlock);
  }
  if (acquires(access)) order_.acquire(block.order, warp.id, access.lanes, order_.now());
}

// Without checks: no access leaves the memory that there is.
void AccessCheck::require_memory(BlockState& owner, const run::Warp& warp, run::Access& access) {
  if (access.space != run::Space::kShared) return bounds_.require_memory(warp, access);
  const std::uint64_t room = owner.shared.size_bytes();
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t offset = access.address[lowest(rest)];
    if (offset < room && access.size_bytes <= room - offset) continue;
    return bounds_.check_shared(warp, owner, access);
  }
}

void AccessCheck::check_bounds(BlockState& owner, const run::Warp& warp, run::Access& access) {
  bounds_.check_alignment(warp, access);
  if (access.space == run::Space::kShared) return bounds_.check_shared(warp, owner, access);
  if (access.space == run::Space::kConst) return bounds_.check_constant(warp, access);
  bounds_.check_global(warp, access);
}

void AccessCheck::note_later_read(const BlockState& block, const run::Warp& warp,
                                  const run::Access& access) {
  const std::uint64_t room = block.shared.size_bytes();
  if (room < access.size_bytes) return;
  run::Access inside = access;
  inside.lanes &= run::lanes_within(access, 0, room - access.size_bytes + 1);
  race_check_.check(block, warp, inside, target_of(block, inside));
}

void AccessCheck::check(BlockState& block, BlockState& owner, const run::Warp& warp,
                        run::Access& access) {
  if (checks_ == Checks::kAll && !copies_may_run_ && is_of_words(access)) {
    const RaceTarget target = target_of(owner, access);
    if (access.pattern == run::Pattern::kOther) {
      note_order(block, warp, access);
      if (check_scattered(block, warp, access, target)) return;
    } else {
      const Known known = known_of(block, access, target);
      if (known == Known::kSettled) return;
      note_order(block, warp, access);
      if (known == Known::kWritten) return race_check_.check(block, warp, access, target);
    }
  } else {
    if (access.space == run::Space::kParam) return;
    if (access.space == run::Space::kLocal) {
      if (access.owner != nullptr) bounds_.check_local(warp, access);
      return;
    }
    note_order(block, warp, access);
  }
  if (checks_ == Checks::kNone) return require_memory(owner, warp, access);
  check_bounds(owner, warp, access);
  const bool is_constant = access.space == run::Space::kConst;
  if (checks_ == Checks::kAll && access.lanes != 0) {
    if (copies_may_run_ && access.space != run::Space::kShared) copies_.check(warp, access);
    if (is_constant) {
      copies_.note_constants_read(warp, access);
    } else {
      race_check_.check(block, warp, access, target_of(owner, access));
    }
  }
  access.lanes |= bounds_.take_lanes_in_guard_zones();
}

}  // namespace check
