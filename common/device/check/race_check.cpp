// SPDX-License-Identifier: MIT
#include "check/race_check.h"

#include <algorithm>
#include <bit>

#include "check/lanes.h"

namespace check {
namespace {

constexpr std::uint32_t kFewLanes = 4;  // of a granule: word by word touches less memory

// The words of the lanes that a granule can hold: as many bits as each has words.
std::uint64_t spread(std::uint32_t lanes, std::uint32_t words_per_lane) {
  std::uint64_t words = 0;
  for_each_lane(lanes & ((2u << kGranuleWords / words_per_lane) - 1), [&](std::uint32_t lane) {
    words |= ((std::uint64_t{1} << words_per_lane) - 1) << lane * words_per_lane;
  });
  return words;
}

void prefetch(const RaceTarget& target, const Group& group) {
  const Record& record = target.shadow->records[skewed(group.granule)];
  const std::uint32_t word = lowest(group.words);
  __builtin_prefetch(&record.write[word], 1);
  __builtin_prefetch(&record.reads[0][word], 1);
  __builtin_prefetch(&record.read_ids[0][word], 1);
}

}  // namespace

// The lanes that touch one granule, where several may touch one word.
void RaceCheck::check_group(const RacePass& pass, const Group& group) {
  const run::Access& access = pass.access();
  const std::uint32_t words_per_lane = access.size_bytes / kWordBytes;
  const auto word_of = [&](std::uint32_t lane) { return Shadow::word_of(access.address[lane]); };
  const std::uint32_t first_lane = lowest(group.lanes);
  if ((group.words & (group.words - 1)) == 0) {
    if (is_store(access)) {
      for_each_lane(group.lanes & (group.lanes - 1), [&](std::uint32_t lane) {
        pass.look_at_meeting(lane, first_lane, lowest(group.words));
      });
    }
    return pass.check_word(group.granule, lowest(group.words), group.lanes);
  }
  const auto num_lanes = static_cast<std::uint32_t>(std::popcount(group.lanes));
  const auto num_words = static_cast<std::uint32_t>(std::popcount(group.words));
  const bool may_meet = is_store(access) && num_words < num_lanes * words_per_lane;
  alignas(64) Own first;
  if (num_words == num_lanes * words_per_lane) {
    if (num_lanes > kFewLanes) {
      granules.place_lanes(access.address, group.lanes, words_per_lane, pass.first_lane(), first,
                           first);
      return pass.check(group.granule, group.words, first);
    }
    return for_each_lane(group.lanes, [&](std::uint32_t lane) {
      for (std::uint32_t i = 0; i < words_per_lane; ++i) {
        pass.check_word(group.granule, word_of(lane) + i, 1u << lane);
      }
    });
  }
  alignas(64) Own last;
  granules.place_lanes(access.address, group.lanes, words_per_lane, pass.first_lane(), first, last);
  if (may_meet || pass.lanes_differ()) {
    for_each_lane(group.lanes, [&](std::uint32_t lane) {
      for (std::uint32_t word = word_of(lane); word < word_of(lane) + words_per_lane; ++word) {
        const std::uint32_t other = thread_of(first[word]) % run::kWarpSize;
        if (may_meet && other != lane) pass.look_at_meeting(lane, other, word);
        if (pass.lanes_differ()) pass.look_at(group.granule, word, lane);
      }
    });
  }
  pass.check(group.granule, group.words, granules.differ(first, last) & group.words, first, last);
}

// Parts of words, or words at odd addresses: lane by lane.
void RaceCheck::check_bytes(const RacePass& pass) {
  const run::Access& access = pass.access();
  for_each_lane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t end = access.address[lane] + access.size_bytes;
    for (std::uint64_t at = access.address[lane]; at < end;) {
      const std::uint64_t stop = std::min(at / kWordBytes * kWordBytes + kWordBytes, end);
      pass.check_bytes(lane, at, stop);
      at = stop;
    }
  });
}

// The lanes' words lie side by side.
void RaceCheck::check_contiguous(const RacePass& pass) {
  const run::Access& access = pass.access();
  const std::uint64_t base = pass.target().shadow->base;
  const std::uint32_t words_per_lane = access.size_bytes / kWordBytes;
  const std::uint32_t shift = lowest(words_per_lane);
  const std::uint64_t begin = access.address[lowest(access.lanes)];
  const std::uint64_t end = access.address[highest(access.lanes)] + access.size_bytes;
  const std::int64_t first_word = static_cast<std::int64_t>(access.base - base) >> 2;
  const std::uint64_t last = (end - 1 - base) / kGranuleBytes;
  for (std::uint64_t granule = (begin - base) / kGranuleBytes; granule <= last; ++granule) {
    // From lane 0's first word to the granule's. Lanes before it are behind a shift.
    const auto from = static_cast<std::int64_t>(granule * kGranuleWords) - first_word;
    const std::int64_t first_lane = from >> shift;
    const std::uint32_t lanes =
        first_lane >= 0 ? access.lanes >> first_lane : access.lanes << -first_lane;
    const auto words = static_cast<std::uint32_t>(
        words_per_lane == 1 ? lanes
                            : spread(lanes, words_per_lane) >> (from & (words_per_lane - 1)));
    if (pass.check_strip(granule, words, from, shift)) continue;
    alignas(64) Own own;
    granules.number_lanes(own, pass.first_lane(), static_cast<std::int32_t>(from), shift);
    pass.check(granule, words, own);
  }
}

// A piece of a bulk copy: one lane after the other, granule by granule.
void RaceCheck::check_long(const RacePass& pass) {
  const run::Access& access = pass.access();
  for_each_lane(access.lanes, [&](std::uint32_t lane) {
    alignas(64) Own own;
    own.fill(pass.first_lane() + (Stamp{lane} << kThreadShift));
    const std::uint64_t end = access.address[lane] + access.size_bytes;
    for (std::uint64_t at = access.address[lane]; at < end;) {
      const std::uint64_t stop = std::min(at / kGranuleBytes * kGranuleBytes + kGranuleBytes, end);
      const auto count = static_cast<std::uint32_t>((stop - at) / kWordBytes);
      const std::uint32_t words = (count == 32 ? ~0u : (1u << count) - 1) << Shadow::word_of(at);
      pass.check((at - pass.target().shadow->base) / kGranuleBytes, words, own);
      at = stop;
    }
  });
}

void RaceCheck::check(const BlockState& block, const run::Warp& warp, const run::Access& access,
                      const RaceTarget& target, std::span<const Group> groups) const {
  const RacePass pass(order_, races_, block, warp, access, target);
  // The records of many granules are far apart.
  constexpr std::size_t kWorthPrefetching = 4;
  if (groups.size() >= kWorthPrefetching) {
    for (const Group& group : groups) prefetch(target, group);
  }
  for (const Group& group : groups) check_group(pass, group);
}

void RaceCheck::check(const BlockState& block, const run::Warp& warp, const run::Access& access,
                      const RaceTarget& target) const {
  if (access.lanes == 0) return;
  const RacePass pass(order_, races_, block, warp, access, target);
  const std::uint64_t first_address = access.address[lowest(access.lanes)];
  if (access.size_bytes % kWordBytes != 0 || first_address % kWordBytes != 0) {
    return check_bytes(pass);
  }
  const std::uint32_t words_per_lane = access.size_bytes / kWordBytes;
  if (words_per_lane > 4 || !std::has_single_bit(words_per_lane)) return check_long(pass);
  if (access.pattern == run::Pattern::kContiguous) return check_contiguous(pass);
  if (access.pattern == run::Pattern::kUniform) {
    const std::uint64_t granule = (first_address - target.shadow->base) / kGranuleBytes;
    const std::uint32_t words = ((1u << words_per_lane) - 1) << Shadow::word_of(first_address);
    return check_group(pass, {static_cast<std::uint32_t>(granule), words, access.lanes});
  }
  Groups groups;
  const std::uint32_t num_groups =
      find_granules(access.address, access.lanes, {target.shadow->base, target.size_bytes},
                    access.size_bytes, groups);
  if (num_groups == 0) return check_bytes(pass);  // odd addresses, of asynchronous copies
  check(block, warp, access, target, {groups.data(), num_groups});
}

}  // namespace check
