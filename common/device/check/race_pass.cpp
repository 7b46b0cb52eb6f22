// SPDX-License-Identifier: MIT
#include "check/race_pass.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "check/lanes.h"

namespace check {
namespace {

Stamp kind_of(const run::Access& access) {
  const bool is_strong = access.order != run::Order::kWeak && access.order != run::Order::kVolatile;
  const bool is_volatile = access.order == run::Order::kVolatile || access.bypasses_cache;
  return (access.is_atomic || is_strong ? kAtomicBit : 0) | (is_volatile ? kVolatileBit : 0);
}

// Kinds of earlier accesses that are no race with it, whatever they do (see Races::conflict).
Stamp meant_kinds(Stamp kind, bool writes, bool is_shared, bool may_be_optimistic) {
  if (kind != 0) return is_shared && (kind & kVolatileBit) != 0 ? kAtomicBit : kKindBits;
  return writes || !may_be_optimistic ? 0 : kAtomicBit;
}

}  // namespace

RacePass::RacePass(const Order& order, Races& races, const BlockState& block, const run::Warp& warp,
                   const run::Access& access, const RaceTarget& target)
    : races_(races), block_(block), access_(access), target_(target) {
  const Stamp kind = kind_of(access);
  key_ = block.order.stamp | Stamp{warp.id} << kWarpShift;
  own_ = key_ | kAllBytes | kind;
  // In global memory, programs read what others lower by atomics, and any old value is right.
  may_be_optimistic_ = !target.is_shared || access.instruction->may_be_verified;
  now_ = {first_to_compare(order, block.order, target.is_shared),
          Stamp{block.order.ordinal} << kOrdinalShift,
          Stamp{block.order.barrier_tick} << kTickShift,
          meant_kinds(kind, access.writes, target.is_shared, may_be_optimistic_)};
  wants_update_ = kind == 0 && !access.writes && races.wants_update(*access.instruction);
  if (wants_update_) now_.meant = 0;
}

// ---- the two accesses of a race

// What a lane's store puts at byte `offset` of its access; null: not known.
const std::byte* RacePass::value_of(std::uint32_t lane, std::uint32_t offset) const {
  if (access_.is_async) return nullptr;
  const std::byte* const row = access_.values[offset / access_.element_bytes];
  if (row == nullptr) return nullptr;
  return row + lane * access_.value_stride + offset % access_.element_bytes;
}

// Whether memory holds what the lane is about to store.
Values RacePass::compare_with_memory(std::uint32_t lane) const {
  const std::byte* const memory = target_.memory + (access_.address[lane] - target_.shadow->base);
  for (std::uint32_t at = 0; at < access_.size_bytes; at += access_.element_bytes) {
    const std::byte* const value = value_of(lane, at);
    if (value == nullptr) return Values::kUnknown;
    if (std::memcmp(memory + at, value, access_.element_bytes) != 0) return Values::kDiffer;
  }
  return Values::kAgree;
}

void RacePass::report(const Earlier& earlier, Stamp own) const {
  const bool both_store = earlier.writes && is_store(access_);
  races_.report(earlier, block_, thread_of(own), access_, target_.is_shared,
                both_store ? compare_with_memory(lane_of(own)) : Values::kUnknown);
}

// The word's earlier accesses one by one.
void RacePass::look_at(const Record& record, std::uint32_t word, Stamp own, bool with_write) const {
  const Reader reader = {&block_.order, thread_of(own)};
  const auto conflicts = [&](Stamp earlier, bool earlier_writes) {
    return earlier >= now_.first && races_.conflict(earlier, earlier_writes, own, access_.writes,
                                                    target_.is_shared, may_be_optimistic_, reader);
  };
  if (with_write && wants_update_) {
    races_.look_at_update({record.write[word], record.write_id[word], true}, own, reader, block_,
                          access_, target_.is_shared);
  }
  if (with_write && conflicts(record.write[word], true)) {
    return report({record.write[word], record.write_id[word], true}, own);
  }
  if (!access_.writes) return;
  for (int slot = 0; slot < 2; ++slot) {
    const Stamp read = record.reads[slot][word];
    if (conflicts(read, false)) return report({read, record.read_ids[slot][word], false}, own);
  }
}

void RacePass::look_at_meeting(std::uint32_t lane, std::uint32_t other, std::uint32_t word) const {
  const Stamp earlier = stamp_of(other);
  const Stamp own = stamp_of(lane);
  const Reader reader = {&block_.order, thread_of(own)};
  if (!races_.conflict(earlier, true, own, true, target_.is_shared, may_be_optimistic_, reader)) {
    return;
  }
  const auto value_at = [&](std::uint32_t of) {
    return value_of(of, (word - Shadow::word_of(access_.address[of])) * kWordBytes);
  };
  Values values = Values::kUnknown;
  const std::byte* const mine = value_at(lane);
  const std::byte* const theirs = value_at(other);
  if (mine != nullptr && theirs != nullptr) {
    const std::size_t bytes = std::min<std::size_t>(access_.element_bytes, kWordBytes);
    values = std::memcmp(mine, theirs, bytes) == 0 ? Values::kAgree : Values::kDiffer;
  }
  races_.report({earlier, access_.instruction->id, true}, block_, thread_of(own), access_,
                target_.is_shared, values);
}

// ---- digests

// The last of a granule's writes, or reads.
void RacePass::digest_last(Stamp& last) const {
  const bool is_mixed = last >= now_.first && (!same_block(last, key_) || (last & kMixedBit) != 0);
  last = key_ | (is_mixed ? kMixedBit : 0);
}

void RacePass::digest_write(Digest& digest, std::uint32_t words) const {
  digest_last(digest.write);
  digest.masks[0] &= ~words;
  digest.masks[1] &= ~words;
}

void RacePass::digest_slot(Digest& digest, int slot, std::uint32_t words) const {
  if (words == 0) return;
  Stamp& old = digest.keys[slot];
  const bool is_stale =
      old < now_.first || ((old ^ now_.block) & ~(kThreadBits | kKindBits)) < now_.barrier;
  if (!is_stale && same_warp(old, key_)) {
    digest.masks[slot] |= words;
  } else {
    // Of an older warp's reads no more is known. Warps often read word after word in turns.
    old = key_;
    digest.masks[slot] = words;
  }
}

void RacePass::digest_reads(Digest& digest, std::uint32_t first, std::uint32_t second) const {
  digest_last(digest.read);
  if ((own_ & kKindBits) != 0) {  // later writers may mean to meet it
    digest.masks[0] &= ~first;
    digest.masks[1] &= ~second;
    return;
  }
  digest_slot(digest, 0, first);
  digest_slot(digest, 1, second);
}

void RacePass::learn_written(std::uint64_t granule) const {
  Digest& digest = digest_of(granule);
  if (digest.is_written) return;
  const Shadow& shadow = *target_.shadow;
  digest.is_written = shadow.written.all(shadow.base + granule * kGranuleBytes, kGranuleBytes);
}

// ---- many words

void RacePass::compare(std::uint64_t granule, std::uint32_t words, const Own& own) const {
  const Digest& digest = digest_of(granule);
  const bool writes_matter = !is_past(digest.write);
  const bool reads_matter = compares_reads() && !is_past(digest.read);
  if (!writes_matter && !reads_matter) return;
  const Record& record = record_of(granule);
  std::uint32_t doubtful = 0;
  if (writes_matter) doubtful = granules.unordered(record.write, own, words, now_);
  if (reads_matter) {
    doubtful |= granules.unordered(record.reads[0], own, words, now_) |
                granules.unordered(record.reads[1], own, words, now_);
  }
  for (; doubtful != 0; doubtful &= doubtful - 1) {
    look_at(record, lowest(doubtful), own[lowest(doubtful)], true);
  }
}

void RacePass::note(std::uint64_t granule, std::uint32_t words, const Own& own) const {
  Record& record = record_of(granule);
  Digest& digest = digest_of(granule);
  const std::uint32_t id = access_.instruction->id;
  const bool has_reads = !is_past(digest.read);
  learn_written(granule);
  if (access_.writes) {
    granules.replace(record.write, record.write_id, own, id, words);
    if (has_reads) {
      granules.clear(record.reads[0], words);
      granules.clear(record.reads[1], words);
    }
    return digest_write(digest, words);
  }
  std::uint32_t second = 0;
  if (has_reads) {
    second = granules.note_reads(record, own, id, words, now_);
  } else {
    granules.replace(record.reads[0], record.read_ids[0], own, id, words);
  }
  digest_reads(digest, words & ~second, second);
}

bool RacePass::check_strip(std::uint64_t granule, std::uint32_t words, std::int64_t first_word,
                           std::uint32_t shift) const {
  Digest& digest = digest_of(granule);
  if (digest.kept == Kept::kRecord) return false;
  const Strip strip = {own_,
                       access_.instruction->id,
                       words,
                       static_cast<std::int16_t>(first_word),
                       static_cast<std::uint8_t>(shift),
                       access_.writes};
  if (digest.kept == Kept::kStrip) {
    const Strip& old = digest.strip;
    const bool has_reads = !is_past(digest.read);
    const bool is_same = same_warp(old.lane_0, own_) && old.first_word == strip.first_word &&
                         old.shift == strip.shift;
    const bool is_past_all = is_past(digest.write) && !(compares_reads() && has_reads);
    if (!is_same && !is_past_all) return false;
    // Whether note() would leave nothing of it.
    const bool replaces =
        strip.is_write ? old.is_write || has_reads : !old.is_write && (is_same || !has_reads);
    if (!replaces || (old.words & ~words) != 0) return false;
  }
  learn_written(granule);
  digest.strip = strip;
  digest.kept = Kept::kStrip;
  strip.is_write ? digest_write(digest, words) : digest_reads(digest, words, 0);
  return true;
}

void RacePass::check(std::uint64_t granule, std::uint32_t words, std::uint32_t again,
                     const Own& first, const Own& last) const {
  compare(granule, words, first);
  compare(granule, again, last);
  if (access_.writes) return note(granule, words, last);
  note(granule, words, first);
  // The first lane's read is remembered, or another thread's. So the last one's comes second.
  Record& record = record_of(granule);
  granules.replace(record.reads[1], record.read_ids[1], last, access_.instruction->id, again);
  digest_reads(digest_of(granule), 0, again);
}

// ---- one word

// Of several lanes the first and the last matter: one of them is another than any later thread.
void RacePass::check_word(std::uint64_t granule, std::uint32_t word, std::uint32_t lanes) const {
  Record& record = record_of(granule);
  Digest& digest = digest_of(granule);
  const std::uint32_t id = access_.instruction->id;
  const std::uint32_t bit = 1u << word;
  const Stamp own[2] = {stamp_of(lowest(lanes)), stamp_of(highest(lanes))};
  const std::uint32_t num_lanes = own[0] == own[1] ? 1 : 2;
  const bool reads_matter = (compares_reads() || !access_.writes) && !is_past(digest.read);
  const auto matters = [&](Stamp earlier, Stamp by) {
    return may_matter(earlier, by, now_) && (earlier & now_.meant) == 0;
  };
  const auto is_doubtful = [&](Stamp by) {
    return matters(record.write[word], by) ||
           (compares_reads() &&
            (matters(record.reads[0][word], by) || matters(record.reads[1][word], by)));
  };
  if (!is_past(digest.write) || reads_matter) {
    if (is_doubtful(own[0])) {
      look_at(record, word, own[0], true);
      std::uint32_t between = lanes_differ() ? lanes & (lanes - 1) & ~(1u << highest(lanes)) : 0;
      for (; between != 0; between &= between - 1) {
        look_at(record, word, stamp_of(lowest(between)), true);
      }
    }
    if (num_lanes == 2 && is_doubtful(own[1])) look_at(record, word, own[1], true);
  }
  learn_written(granule);
  if (access_.writes) {
    record.write[word] = own[1];
    record.write_id[word] = id;
    record.reads[0][word] = record.reads[1][word] = 0;
    return digest_write(digest, bit);
  }
  const int slot = reads_matter && may_matter(record.reads[0][word], own[0], now_) ? 1 : 0;
  record.reads[slot][word] = own[0];
  record.read_ids[slot][word] = id;
  if (num_lanes == 2) {
    record.reads[1][word] = own[1];
    record.read_ids[1][word] = id;
  }
  digest_reads(digest, slot == 0 ? bit : 0, slot == 1 || num_lanes == 2 ? bit : 0);
}

void RacePass::check_bytes(std::uint32_t lane, std::uint64_t begin, std::uint64_t end) const {
  const Stamp bytes = ((Stamp{1} << (end - begin)) - 1) << begin % kWordBytes;
  const Stamp own = (stamp_of(lane) & ~kAllBytes) | bytes << kBytesShift;
  const std::uint64_t granule = (begin - target_.shadow->base) / kGranuleBytes;
  Record& record = record_of(granule);
  Digest& digest = digest_of(granule);
  const std::uint32_t word = Shadow::word_of(begin);
  const std::uint32_t id = access_.instruction->id;
  const Stamp write = record.write[word];
  const std::uint32_t other = lane_of(write);
  const bool is_of_this_store =
      is_store(access_) && same_warp(write, own) && tick_of(write) == tick_of(own) &&
      record.write_id[word] == id && other < lane && share_bytes(write, own) &&
      (access_.lanes >> other & 1) != 0 && access_.address[lane] == access_.address[other];
  if (is_of_this_store) look_at_meeting(lane, other, word);
  look_at(record, word, own, !is_of_this_store);
  learn_written(granule);
  if (access_.writes) {
    record.write[word] = own;
    record.write_id[word] = id;
    record.reads[0][word] = record.reads[1][word] = 0;
    return digest_write(digest, 1u << word);
  }
  const int slot = may_matter(record.reads[0][word], own, now_) ? 1 : 0;
  record.reads[slot][word] = own;
  record.read_ids[slot][word] = id;
  digest_last(digest.read);
  digest.masks[slot] &= ~(1u << word);
}

}  // namespace check
