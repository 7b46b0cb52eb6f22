// SPDX-License-Identifier: MIT
#include "check/race_check.h"

#include <bit>
#include <cstring>

namespace check {
namespace {

std::uint32_t lowest(std::uint32_t bits) {
  return static_cast<std::uint32_t>(std::countr_zero(bits));
}
std::uint32_t highest(std::uint32_t bits) {
  return 31 - static_cast<std::uint32_t>(std::countl_zero(bits));
}

Stamp kind_of(const run::Access& access) {
  const bool is_strong = access.order != run::Order::kWeak && access.order != run::Order::kVolatile;
  const bool is_volatile = access.order == run::Order::kVolatile || access.bypasses_cache;
  return (access.is_atomic || is_strong ? kAtomicBit : 0) | (is_volatile ? kVolatileBit : 0);
}

// Kinds of earlier accesses that are no race with it, whatever they do (see Races::conflict).
Stamp meant_kinds(Stamp kind, bool writes, bool is_shared) {
  if (kind != 0) return is_shared && (kind & kVolatileBit) != 0 ? kAtomicBit : kKindBits;
  return writes ? 0 : kAtomicBit;
}

// The words of the lanes that a granule can hold: as many bits as each has words.
std::uint64_t spread(std::uint32_t lanes, std::uint32_t words_per_lane) {
  std::uint64_t words = 0;
  lanes &= (2u << kGranuleWords / words_per_lane) - 1;
  for (; lanes != 0; lanes &= lanes - 1) {
    words |= ((std::uint64_t{1} << words_per_lane) - 1) << lowest(lanes) * words_per_lane;
  }
  return words;
}

bool is_plain_store(const run::Access& access) { return access.writes && !access.is_atomic; }

// What a lane's store puts at byte `offset` of its access.
const std::byte* value_of(const run::Access& access, std::uint32_t lane, std::uint32_t offset) {
  const std::byte* const row = access.values[offset / access.element_bytes];
  if (row == nullptr) return nullptr;
  return row + lane * access.value_stride + offset % access.element_bytes;
}

// Whether memory holds what the lane is about to store.
Values compare_with_memory(const run::Access& access, std::uint32_t lane, const std::byte* memory) {
  for (std::uint32_t at = 0; at < access.size_bytes; at += access.element_bytes) {
    const std::byte* const value = value_of(access, lane, at);
    if (value == nullptr) return Values::kUnknown;
    if (std::memcmp(memory + at, value, access.element_bytes) != 0) return Values::kDiffer;
  }
  return Values::kAgree;
}

void digest_slot(Digest& digest, int slot, std::uint32_t words, Stamp key, const Now& now) {
  Stamp& old = digest.keys[slot];
  const bool is_stale =
      old < now.first || ((old ^ now.block) & ~(kThreadBits | Stamp{63})) < now.barrier;
  if (!is_stale && same_warp(old, key)) {
    digest.masks[slot] |= words;
  } else {
    // Of an older warp's reads no more is known. Warps often read word after word in turns.
    old = key;
    digest.masks[slot] = words;
  }
}

void digest_write(Digest& digest, std::uint32_t words, Stamp key, const Now& now) {
  const bool is_mixed = digest.write >= now.first &&
                        (!same_block(digest.write, key) || (digest.write & kMixedBit) != 0);
  digest.write = key | (is_mixed ? kMixedBit : 0);
  digest.masks[0] &= ~words;
  digest.masks[1] &= ~words;
}

}  // namespace

struct RaceCheck::Pass {
  const BlockState& block;
  const run::Warp& warp;
  const run::Access& access;
  const Target& target;
  Now now;
  Stamp own = 0;  // of lane 0, and all bytes of a word
  Stamp key = 0;  // the warp's, as digests have it

  Stamp stamp_of(std::uint32_t lane) const { return own + (Stamp{lane} << kThreadShift); }
  static std::uint32_t lane_of(Stamp own) { return thread_of(own) % run::kWarpSize; }
};

void RaceCheck::report(const Pass& pass, const Earlier& earlier, Stamp own) const {
  const run::Access& access = pass.access;
  const std::uint32_t lane = Pass::lane_of(own);
  Values values = Values::kUnknown;
  if (earlier.writes && is_plain_store(access)) {
    const std::uint64_t offset = access.address[lane] - pass.target.shadow->base;
    values = compare_with_memory(access, lane, pass.target.memory + offset);
  }
  races_.report(earlier, pass.block, thread_of(own), access, pass.target.is_shared, values);
}

// The word's earlier accesses one by one.
void RaceCheck::look_at(const Pass& pass, const Record& record, std::uint32_t word,
                        Stamp own) const {
  const bool writes = pass.access.writes;
  const Reader reader = {&pass.block.order, thread_of(own)};
  const auto conflicts = [&](Stamp earlier, bool earlier_writes) {
    return earlier >= pass.now.first &&
           races_.conflict(earlier, earlier_writes, own, writes, pass.target.is_shared, reader);
  };
  if (conflicts(record.write[word], true)) {
    return report(pass, {record.write[word], record.write_id[word], true}, own);
  }
  if (!writes) return;
  for (int slot = 0; slot < 2; ++slot) {
    const Stamp read = record.reads[slot][word];
    if (conflicts(read, false))
      return report(pass, {read, record.read_ids[slot][word], false}, own);
  }
}

// The words of one granule, each by one thread: own[word].
void RaceCheck::compare(const Pass& pass, std::uint64_t granule, std::uint32_t words,
                        const Stamps& own) const {
  const Record& record = pass.target.shadow->records[skewed(granule)];
  const bool compares_reads = pass.access.writes && (pass.own & kAtomicBit) == 0;
  std::uint32_t doubtful = compares_reads ? granules.unordered_all(record, own, words, pass.now)
                                          : granules.unordered(record.write, own, words, pass.now);
  for (; doubtful != 0; doubtful &= doubtful - 1) {
    const std::uint32_t word = lowest(doubtful);
    look_at(pass, record, word, own[word]);
  }
}

void RaceCheck::note(const Pass& pass, std::uint64_t granule, std::uint32_t words,
                     const Stamps& own) const {
  Record& record = pass.target.shadow->records[skewed(granule)];
  Digest& digest = pass.target.shadow->digests[skewed(granule)];
  const std::uint32_t id = pass.access.instruction->id;
  digest.is_touched = 1;
  if (digest.is_written == 0) {
    const Shadow& shadow = *pass.target.shadow;
    digest.is_written =
        shadow.written.all(shadow.base + granule * kGranuleBytes, kGranuleBytes) ? 1 : 0;
  }
  if (pass.access.writes) {
    granules.note_writes(record, own, id, words);
    digest_write(digest, words, pass.key, pass.now);
    return;
  }
  const std::uint32_t second = granules.note_reads(record, own, id, words, pass.now);
  const std::uint32_t first = words & ~second;
  if ((pass.own & kKindBits) != 0) {  // later writers may mean to meet it
    digest.masks[0] &= ~first;
    digest.masks[1] &= ~second;
    return;
  }
  if (first != 0) digest_slot(digest, 0, first, pass.key, pass.now);
  if (second != 0) digest_slot(digest, 1, second, pass.key, pass.now);
}

// Two lanes store to one word by one instruction: a race, unless both store the same.
void RaceCheck::look_at_meeting(const Pass& pass, std::uint32_t lane, std::uint32_t other,
                                std::uint32_t word) const {
  const run::Access& access = pass.access;
  const Stamp earlier = pass.stamp_of(other);
  const Stamp own = pass.stamp_of(lane);
  const Reader reader = {&pass.block.order, thread_of(own)};
  if (!races_.conflict(earlier, true, own, true, pass.target.is_shared, reader)) return;
  const auto offset_of = [&](std::uint32_t of) {
    const std::uint32_t in_granule = Shadow::word_of(access.address[of]);
    return (word - in_granule) * kWordBytes;
  };
  Values values = Values::kUnknown;
  const std::uint32_t bytes = access.element_bytes < kWordBytes ? access.element_bytes : kWordBytes;
  const std::byte* const mine = value_of(access, lane, offset_of(lane));
  const std::byte* const theirs = value_of(access, other, offset_of(other));
  if (mine != nullptr && theirs != nullptr) {
    values = std::memcmp(mine, theirs, bytes) == 0 ? Values::kAgree : Values::kDiffer;
  }
  races_.report({earlier, access.instruction->id, true}, pass.block, thread_of(own), access,
                pass.target.is_shared, values);
}

// The lanes that touch one granule, of whose words several may touch one.
void RaceCheck::check_group(const Pass& pass, const Group& group) const {
  const run::Access& access = pass.access;
  const std::uint32_t words_per_lane = access.size_bytes / kWordBytes;
  const auto word_of = [&](std::uint32_t lane) { return Shadow::word_of(access.address[lane]); };
  alignas(64) Stamps own = {};
  if (static_cast<std::uint32_t>(std::popcount(group.words)) ==
      static_cast<std::uint32_t>(std::popcount(group.lanes)) * words_per_lane) {
    for (std::uint32_t rest = group.lanes; rest != 0; rest &= rest - 1) {
      const std::uint32_t lane = lowest(rest);
      for (std::uint32_t i = 0; i < words_per_lane; ++i) {
        own[word_of(lane) + i] = pass.stamp_of(lane);
      }
    }
    compare(pass, group.granule, group.words, own);
    return note(pass, group.granule, group.words, own);
  }
  // Of the lanes at one word the first and the last matter: one of them is another than any later
  // thread.
  alignas(64) Stamps last = {};
  const bool may_meet = is_plain_store(access);
  std::uint32_t touched = 0;
  std::uint32_t again = 0;
  for (std::uint32_t rest = group.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    for (std::uint32_t i = 0; i < words_per_lane; ++i) {
      const std::uint32_t word = word_of(lane) + i;
      const std::uint32_t bit = 1u << word;
      if ((touched & bit) == 0) {
        own[word] = pass.stamp_of(lane);
      } else {
        if (may_meet) look_at_meeting(pass, lane, Pass::lane_of(own[word]), word);
        again |= bit;
      }
      touched |= bit;
      last[word] = pass.stamp_of(lane);
    }
  }
  compare(pass, group.granule, touched, own);
  if (again != 0) compare(pass, group.granule, again, last);
  note(pass, group.granule, touched, own);
  if (again != 0) note(pass, group.granule, again, last);
}

// Parts of words, or words at odd addresses: lane by lane.
void RaceCheck::check_bytes(const Pass& pass) const {
  const run::Access& access = pass.access;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    const std::uint64_t end = access.address[lane] + access.size_bytes;
    for (std::uint64_t at = access.address[lane]; at < end;) {
      const std::uint64_t word_end = at / kWordBytes * kWordBytes + kWordBytes;
      const std::uint64_t stop = word_end < end ? word_end : end;
      const Stamp bytes = ((Stamp{1} << (stop - at)) - 1) << at % kWordBytes;
      const Stamp own = (pass.stamp_of(lane) & ~kAllBytes) | bytes << kBytesShift;
      Record& record = pass.target.shadow->record_of(at);
      Digest& digest = pass.target.shadow->digest_of(at);
      const std::uint32_t word = Shadow::word_of(at);
      const std::uint32_t bit = 1u << word;
      const Stamp write = record.write[word];
      const bool is_of_this_store =
          is_plain_store(access) && same_warp(write, own) && tick_of(write) == tick_of(own) &&
          record.write_id[word] == access.instruction->id && thread_of(write) < thread_of(own) &&
          share_bytes(write, own) && (access.lanes >> Pass::lane_of(write) & 1) != 0;
      if (is_of_this_store && access.address[lane] == access.address[Pass::lane_of(write)]) {
        look_at_meeting(pass, lane, Pass::lane_of(write), word);
      } else {
        look_at(pass, record, word, own);
      }
      digest.is_touched = 1;
      if (access.writes) {
        record.write[word] = own;
        record.write_id[word] = access.instruction->id;
        record.reads[0][word] = record.reads[1][word] = 0;
        digest_write(digest, bit, pass.key, pass.now);
      } else {
        const int slot = may_matter(record.reads[0][word], own, pass.now) ? 1 : 0;
        record.reads[slot][word] = own;
        record.read_ids[slot][word] = access.instruction->id;
        digest.masks[slot] &= ~bit;
      }
      at = stop;
    }
  }
}

void RaceCheck::check(const BlockState& block, const run::Warp& warp, const run::Access& access,
                      const Target& target) const {
  if (access.lanes == 0) return;
  const BlockOrder& order = block.order;
  const Stamp kind = kind_of(access);
  Pass pass = {block, warp, access, target, {}, 0, 0};
  pass.key = order.stamp | Stamp{warp.id} << kWarpShift;
  pass.own = pass.key | kAllBytes | kind;
  pass.now = {first(order, target.is_shared), Stamp{order.ordinal} << kOrdinalShift,
              Stamp{order.barrier_tick} << kTickShift,
              meant_kinds(kind, access.writes, target.is_shared)};
  const std::uint64_t begin = access.address[lowest(access.lanes)];
  if (access.size_bytes % kWordBytes != 0 || begin % kWordBytes != 0) return check_bytes(pass);
  const std::uint32_t words_per_lane = access.size_bytes / kWordBytes;
  const Shadow& shadow = *target.shadow;
  const bool is_plain_read = !access.writes && kind == 0;
  const auto granule_of = [&](std::uint64_t address) {
    return (address - shadow.base) / kGranuleBytes;
  };
  const auto is_done = [&](std::uint64_t granule, std::uint32_t words) {
    return is_plain_read &&
           is_settled(order, shadow.digests[skewed(granule)], words, target.is_shared);
  };
  if (access.pattern == run::Pattern::kContiguous && words_per_lane <= 4 &&
      (words_per_lane & (words_per_lane - 1)) == 0) {
    const std::uint32_t shift = lowest(words_per_lane);
    const std::uint64_t end = access.address[highest(access.lanes)] + access.size_bytes;
    const std::int64_t first_word = static_cast<std::int64_t>(access.base - shadow.base) >> 2;
    const std::uint64_t last = granule_of(end - 1);
    for (std::uint64_t granule = granule_of(begin); granule <= last; ++granule) {
      // The lanes' words from the granule's first one on. Lanes before it are behind a shift.
      const auto from = static_cast<std::int64_t>(granule * kGranuleWords) - first_word;
      const std::int64_t first_lane = from >> shift;
      const std::uint32_t lanes =
          first_lane >= 0 ? access.lanes >> first_lane : access.lanes << -first_lane;
      const auto words = static_cast<std::uint32_t>(
          words_per_lane == 1 ? lanes
                              : spread(lanes, words_per_lane) >> (from & (words_per_lane - 1)));
      if (is_done(granule, words)) continue;
      alignas(64) Stamps own;
      granules.number_lanes(own, pass.own, static_cast<std::int32_t>(from), shift);
      compare(pass, granule, words, own);
      note(pass, granule, words, own);
    }
    return;
  }
  if (words_per_lane > 4 || (words_per_lane & (words_per_lane - 1)) != 0) {
    // A bulk copy: one lane after the other, granule by granule.
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
      const std::uint32_t lane = lowest(rest);
      alignas(64) Stamps own;
      own.fill(pass.stamp_of(lane));
      const std::uint64_t end = access.address[lane] + access.size_bytes;
      for (std::uint64_t at = access.address[lane]; at < end;) {
        const std::uint64_t granule_end = at / kGranuleBytes * kGranuleBytes + kGranuleBytes;
        const std::uint64_t stop = granule_end < end ? granule_end : end;
        const auto count = static_cast<std::uint32_t>((stop - at) / kWordBytes);
        const std::uint32_t words = (count == 32 ? ~0u : (1u << count) - 1) << Shadow::word_of(at);
        compare(pass, granule_of(at), words, own);
        note(pass, granule_of(at), words, own);
        at = stop;
      }
    }
    return;
  }
  if (access.pattern == run::Pattern::kUniform) {
    const Group group = {static_cast<std::uint32_t>(granule_of(begin)),
                         ((1u << words_per_lane) - 1) << Shadow::word_of(begin), access.lanes};
    if (!is_done(group.granule, group.words)) check_group(pass, group);
    return;
  }
  Groups groups;
  const std::uint32_t num_groups =
      find_granules(access.address, access.lanes, shadow.base, words_per_lane, groups);
  for (std::uint32_t i = 0; i < num_groups; ++i) {
    if (!is_done(groups[i].granule, groups[i].words)) check_group(pass, groups[i]);
  }
}

}  // namespace check
