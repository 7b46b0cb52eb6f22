// SPDX-License-Identifier: MIT
#include "check/race_check.h"

#include <bit>
#include <cstring>

namespace check {
namespace {

constexpr std::uint32_t kFewLanes = 4;  // of a granule: word by word touches less memory

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

// The last of a granule's writes, or reads.
void digest_last(Stamp& last, Stamp key, const Now& now) {
  const bool is_mixed = last >= now.first && (!same_block(last, key) || (last & kMixedBit) != 0);
  last = key | (is_mixed ? kMixedBit : 0);
}

void digest_write(Digest& digest, std::uint32_t words, Stamp key, const Now& now) {
  digest_last(digest.write, key, now);
  digest.masks[0] &= ~words;
  digest.masks[1] &= ~words;
}

}  // namespace

struct RaceCheck::Pass {
  const BlockState& block;
  const run::Access& access;
  const Target& target;
  Now now;
  Stamp own;  // of lane 0, and all bytes of a word
  Stamp key;  // the warp's, as digests have it

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
void RaceCheck::look_at(const Pass& pass, const Record& record, std::uint32_t word, Stamp own,
                        bool with_write) const {
  const bool writes = pass.access.writes;
  const Reader reader = {&pass.block.order, thread_of(own)};
  const auto conflicts = [&](Stamp earlier, bool earlier_writes) {
    return earlier >= pass.now.first &&
           races_.conflict(earlier, earlier_writes, own, writes, pass.target.is_shared, reader);
  };
  if (with_write && conflicts(record.write[word], true)) {
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
                        const Own& own) const {
  const Record& record = pass.target.shadow->records[skewed(granule)];
  const Digest& digest = pass.target.shadow->digests[skewed(granule)];
  const BlockOrder& order = pass.block.order;
  std::uint32_t doubtful = 0;
  if (!is_past(order, digest.write, pass.now.first)) {
    doubtful = granules.unordered(record.write, own, words, pass.now);
  }
  const bool compares_reads = pass.access.writes && (pass.own & kAtomicBit) == 0;
  if (compares_reads && !is_past(order, digest.read, pass.now.first)) {
    doubtful |= granules.unordered(record.reads[0], own, words, pass.now) |
                granules.unordered(record.reads[1], own, words, pass.now);
  }
  for (; doubtful != 0; doubtful &= doubtful - 1) {
    const std::uint32_t word = lowest(doubtful);
    look_at(pass, record, word, own[word]);
  }
}

void RaceCheck::note(const Pass& pass, std::uint64_t granule, std::uint32_t words,
                     const Own& own) const {
  Record& record = pass.target.shadow->records[skewed(granule)];
  Digest& digest = pass.target.shadow->digests[skewed(granule)];
  const std::uint32_t id = pass.access.instruction->id;
  const bool has_reads = !is_past(pass.block.order, digest.read, pass.now.first);
  digest.is_touched = 1;
  if (digest.is_written == 0) note_written(*pass.target.shadow, granule);
  if (pass.access.writes) {
    granules.replace(record.write, record.write_id, own, id, words);
    if (has_reads) {
      granules.clear(record.reads[0], words);
      granules.clear(record.reads[1], words);
    }
    return digest_write(digest, words, pass.key, pass.now);
  }
  std::uint32_t second = 0;
  if (has_reads) {
    second = granules.note_reads(record, own, id, words, pass.now);
  } else {
    granules.replace(record.reads[0], record.read_ids[0], own, id, words);
  }
  digest_reads(pass, digest, words & ~second, second);
}

void RaceCheck::digest_reads(const Pass& pass, Digest& digest, std::uint32_t first,
                             std::uint32_t second) {
  digest_last(digest.read, pass.key, pass.now);
  if ((pass.own & kKindBits) != 0) {  // later writers may mean to meet it
    digest.masks[0] &= ~first;
    digest.masks[1] &= ~second;
    return;
  }
  if (first != 0) digest_slot(digest, 0, first, pass.key, pass.now);
  if (second != 0) digest_slot(digest, 1, second, pass.key, pass.now);
}

void RaceCheck::note_written(const Shadow& shadow, std::uint64_t granule) {
  const bool is_written = shadow.written.all(shadow.base + granule * kGranuleBytes, kGranuleBytes);
  shadow.digests[skewed(granule)].is_written = is_written ? 1 : 0;
}

// One word, by one or several lanes. Of these the first and the last matter: one of them is another
// than any later thread.
void RaceCheck::check_word(const Pass& pass, std::uint64_t granule, std::uint32_t word,
                           std::uint32_t lanes) const {
  Record& record = pass.target.shadow->records[skewed(granule)];
  Digest& digest = pass.target.shadow->digests[skewed(granule)];
  const run::Access& access = pass.access;
  const std::uint32_t id = access.instruction->id;
  const std::uint32_t bit = 1u << word;
  const Stamp own[2] = {pass.stamp_of(lowest(lanes)), pass.stamp_of(highest(lanes))};
  const std::uint32_t num_lanes = own[0] == own[1] ? 1 : 2;
  const auto matters = [&](Stamp earlier, Stamp by) {
    return may_matter(earlier, by, pass.now) && (earlier & pass.now.meant) == 0;
  };
  const bool compares_reads = access.writes && (pass.own & kAtomicBit) == 0;
  const bool writes_matter = !is_past(pass.block.order, digest.write, pass.now.first);
  const bool reads_matter =
      (compares_reads || !access.writes) && !is_past(pass.block.order, digest.read, pass.now.first);
  for (std::uint32_t i = 0; i < num_lanes && (writes_matter || reads_matter); ++i) {
    if (matters(record.write[word], own[i]) ||
        (compares_reads &&
         (matters(record.reads[0][word], own[i]) || matters(record.reads[1][word], own[i])))) {
      look_at(pass, record, word, own[i]);
      if (i == 0) look_at_lanes_between(pass, record, word, lanes);
    }
  }
  digest.is_touched = 1;
  if (digest.is_written == 0) note_written(*pass.target.shadow, granule);
  if (access.writes) {
    record.write[word] = own[1];
    record.write_id[word] = id;
    record.reads[0][word] = record.reads[1][word] = 0;
    return digest_write(digest, bit, pass.key, pass.now);
  }
  const int slot = reads_matter && may_matter(record.reads[0][word], own[0], pass.now) ? 1 : 0;
  record.reads[slot][word] = own[0];
  record.read_ids[slot][word] = id;
  if (num_lanes == 2) {
    record.reads[1][word] = own[1];
    record.read_ids[1][word] = id;
  }
  digest_reads(pass, digest, slot == 0 ? bit : 0, slot == 1 || num_lanes == 2 ? bit : 0);
}

// Of several lanes at one word, the first and the last stand for all, unless parts of the warp have
// met since its lanes did.
void RaceCheck::look_at_lanes_between(const Pass& pass, const Record& record, std::uint32_t word,
                                      std::uint32_t lanes) const {
  if (pass.block.order.warps[warp_of(pass.key)].known.empty()) return;
  lanes &= ~(1u << lowest(lanes) | 1u << highest(lanes));
  for (; lanes != 0; lanes &= lanes - 1) look_at(pass, record, word, pass.stamp_of(lowest(lanes)));
}

void RaceCheck::prefetch(const Target& target, const Group& group) const {
  const Record& record = target.shadow->records[skewed(group.granule)];
  const std::uint32_t word = lowest(group.words);
  __builtin_prefetch(&record.write[word], 1);
  __builtin_prefetch(&record.reads[0][word], 1);
  __builtin_prefetch(&record.read_ids[0][word], 1);
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
  const std::uint32_t first = lowest(group.lanes);
  const bool is_one_word = (group.words & (group.words - 1)) == 0;
  const bool may_meet = is_plain_store(access) && (group.lanes & (group.lanes - 1)) != 0;
  if (is_one_word) {
    for (std::uint32_t rest = may_meet ? group.lanes & (group.lanes - 1) : 0; rest != 0;
         rest &= rest - 1) {
      look_at_meeting(pass, lowest(rest), first, lowest(group.words));
    }
    return check_word(pass, group.granule, lowest(group.words), group.lanes);
  }
  alignas(64) Own own;
  const auto num_lanes = static_cast<std::uint32_t>(std::popcount(group.lanes));
  if (static_cast<std::uint32_t>(std::popcount(group.words)) == num_lanes * words_per_lane) {
    if (num_lanes <= kFewLanes) {
      for (std::uint32_t rest = group.lanes; rest != 0; rest &= rest - 1) {
        const std::uint32_t lane = lowest(rest);
        for (std::uint32_t i = 0; i < words_per_lane; ++i) {
          check_word(pass, group.granule, word_of(lane) + i, 1u << lane);
        }
      }
      return;
    }
    granules.place_lanes(access.address, group.lanes, words_per_lane, pass.own, own, own);
    compare(pass, group.granule, group.words, own);
    return note(pass, group.granule, group.words, own);
  }
  alignas(64) Own last;
  granules.place_lanes(access.address, group.lanes, words_per_lane, pass.own, own, last);
  if (may_meet) look_at_meetings(pass, group, own);
  const std::uint32_t again = granules.differ(own, last) & group.words;
  compare(pass, group.granule, group.words, own);
  compare(pass, group.granule, again, last);
  if (!pass.block.order.warps[warp_of(pass.key)].known.empty()) {
    const Record& record = pass.target.shadow->records[skewed(group.granule)];
    for (std::uint32_t rest = group.lanes; rest != 0; rest &= rest - 1) {
      const std::uint32_t lane = lowest(rest);
      for (std::uint32_t i = 0; i < words_per_lane; ++i) {
        look_at(pass, record, word_of(lane) + i, pass.stamp_of(lane));
      }
    }
  }
  if (access.writes) return note(pass, group.granule, group.words, last);
  note(pass, group.granule, group.words, own);
  // The first lane's read is remembered, or another thread's. So the last one's comes second.
  Record& record = pass.target.shadow->records[skewed(group.granule)];
  granules.replace(record.reads[1], record.read_ids[1], last, access.instruction->id, again);
  digest_reads(pass, pass.target.shadow->digests[skewed(group.granule)], 0, again);
}

void RaceCheck::look_at_meetings(const Pass& pass, const Group& group, const Own& first) const {
  const std::uint32_t words_per_lane = pass.access.size_bytes / kWordBytes;
  for (std::uint32_t rest = group.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    for (std::uint32_t i = 0; i < words_per_lane; ++i) {
      const std::uint32_t word = Shadow::word_of(pass.access.address[lane]) + i;
      const std::uint32_t other = Pass::lane_of(first[word]);
      if (other != lane) look_at_meeting(pass, lane, other, word);
    }
  }
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
        look_at(pass, record, word, own, false);
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
        digest_last(digest.read, pass.key, pass.now);
        digest.masks[slot] &= ~bit;
      }
      at = stop;
    }
  }
}

// The lanes' words lie side by side.
void RaceCheck::check_contiguous(const Pass& pass) const {
  const run::Access& access = pass.access;
  const Shadow& shadow = *pass.target.shadow;
  const std::uint32_t words_per_lane = access.size_bytes / kWordBytes;
  const std::uint32_t shift = lowest(words_per_lane);
  const std::uint64_t begin = access.address[lowest(access.lanes)];
  const std::uint64_t end = access.address[highest(access.lanes)] + access.size_bytes;
  const std::int64_t first_word = static_cast<std::int64_t>(access.base - shadow.base) >> 2;
  const std::uint64_t last = (end - 1 - shadow.base) / kGranuleBytes;
  for (std::uint64_t granule = (begin - shadow.base) / kGranuleBytes; granule <= last; ++granule) {
    // From lane 0's first word to the granule's. Lanes before it are behind a shift.
    const auto from = static_cast<std::int64_t>(granule * kGranuleWords) - first_word;
    const std::int64_t first_lane = from >> shift;
    const std::uint32_t lanes =
        first_lane >= 0 ? access.lanes >> first_lane : access.lanes << -first_lane;
    const auto words = static_cast<std::uint32_t>(
        words_per_lane == 1 ? lanes
                            : spread(lanes, words_per_lane) >> (from & (words_per_lane - 1)));
    alignas(64) Own own;
    granules.number_lanes(own, pass.own, static_cast<std::int32_t>(from), shift);
    compare(pass, granule, words, own);
    note(pass, granule, words, own);
  }
}

// A piece of a bulk copy: one lane after the other, granule by granule.
void RaceCheck::check_long(const Pass& pass) const {
  const run::Access& access = pass.access;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    alignas(64) Own own;
    own.fill(pass.stamp_of(lane));
    const std::uint64_t end = access.address[lane] + access.size_bytes;
    for (std::uint64_t at = access.address[lane]; at < end;) {
      const std::uint64_t granule_end = at / kGranuleBytes * kGranuleBytes + kGranuleBytes;
      const std::uint64_t stop = granule_end < end ? granule_end : end;
      const auto count = static_cast<std::uint32_t>((stop - at) / kWordBytes);
      const std::uint32_t words = (count == 32 ? ~0u : (1u << count) - 1) << Shadow::word_of(at);
      const std::uint64_t granule = (at - pass.target.shadow->base) / kGranuleBytes;
      compare(pass, granule, words, own);
      note(pass, granule, words, own);
      at = stop;
    }
  }
}

RaceCheck::Pass RaceCheck::begin(const BlockState& block, const run::Warp& warp,
                                 const run::Access& access, const Target& target) const {
  const BlockOrder& order = block.order;
  const Stamp kind = kind_of(access);
  const Stamp key = order.stamp | Stamp{warp.id} << kWarpShift;
  const Now now = {first(order, target.is_shared), Stamp{order.ordinal} << kOrdinalShift,
                   Stamp{order.barrier_tick} << kTickShift,
                   meant_kinds(kind, access.writes, target.is_shared)};
  return {block, access, target, now, key | kAllBytes | kind, key};
}

void RaceCheck::check(const BlockState& block, const run::Warp& warp, const run::Access& access,
                      const Target& target, std::span<const Group> groups) const {
  const Pass pass = begin(block, warp, access, target);
  // The records of many granules are far apart.
  constexpr std::size_t kWorthPrefetching = 4;
  if (groups.size() >= kWorthPrefetching) {
    for (const Group& group : groups) prefetch(target, group);
  }
  for (const Group& group : groups) check_group(pass, group);
}

void RaceCheck::check(const BlockState& block, const run::Warp& warp, const run::Access& access,
                      const Target& target) const {
  if (access.lanes == 0) return;
  const Pass pass = begin(block, warp, access, target);
  const std::uint64_t first_address = access.address[lowest(access.lanes)];
  if (access.size_bytes % kWordBytes != 0 || first_address % kWordBytes != 0) {
    return check_bytes(pass);
  }
  const std::uint32_t words_per_lane = access.size_bytes / kWordBytes;
  if (words_per_lane > 4 || (words_per_lane & (words_per_lane - 1)) != 0) return check_long(pass);
  if (access.pattern == run::Pattern::kContiguous) return check_contiguous(pass);
  if (access.pattern == run::Pattern::kUniform) {
    const std::uint64_t granule = (first_address - target.shadow->base) / kGranuleBytes;
    return check_group(
        pass, {static_cast<std::uint32_t>(granule),
               ((1u << words_per_lane) - 1) << Shadow::word_of(first_address), access.lanes});
  }
  Groups groups;
  const std::uint32_t num_groups =
      find_granules(access.address, access.lanes, {target.shadow->base, target.size_bytes},
                    access.size_bytes, groups);
  if (num_groups == 0) return check_bytes(pass);  // odd addresses, of asynchronous copies
  check(block, warp, access, target, {groups.data(), num_groups});
}

}  // namespace check
