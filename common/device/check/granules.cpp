// SPDX-License-Identifier: MIT
#include "check/granules.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace check {
namespace {

constexpr std::uint32_t kVectorWords = 8;
constexpr std::uint32_t kVectorIds = 8;
using Vector [[gnu::vector_size(64)]] = std::uint64_t;
using Mask [[gnu::vector_size(64)]] = std::int64_t;  // -1: true
using IdVector [[gnu::vector_size(32)]] = std::uint32_t;
using IdMask [[gnu::vector_size(32)]] = std::int32_t;

namespace plain {
#define CHECK_TARGET
#include "check/granules.inc"
#undef CHECK_TARGET
}  // namespace plain

// __attribute__((target_clones)) would do the same in fewer lines, but g++ takes these vectors
// apart before it makes the clones.
#if defined(__x86_64__)
namespace wide {
#define CHECK_TARGET __attribute__((target("avx2,avx512f,avx512vl,avx512dq,avx512bw,bmi2")))
#include "check/granules.inc"
#undef CHECK_TARGET
}  // namespace wide
namespace middle {
#define CHECK_TARGET __attribute__((target("avx2,bmi2")))
#include "check/granules.inc"
#undef CHECK_TARGET
}  // namespace middle
#endif

}  // namespace

const GranuleFunctions granules = [] {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (has_avx2 && has_avx512) {
    return GranuleFunctions{wide::unordered,   wide::unordered_all, wide::note_reads,
                            wide::note_writes, wide::number_lanes,  wide::number_words};
  }
  if (has_avx2) {
    return GranuleFunctions{middle::unordered,   middle::unordered_all, middle::note_reads,
                            middle::note_writes, middle::number_lanes,  middle::number_words};
  }
#endif
  return GranuleFunctions{plain::unordered,   plain::unordered_all, plain::note_reads,
                          plain::note_writes, plain::number_lanes,  plain::number_words};
}();

std::uint32_t find_granules(const Addresses& addresses, std::uint32_t lanes, std::uint64_t base,
                            std::uint32_t words_per_lane, Groups& groups) {
  alignas(64) Ids granule_of;
  alignas(64) Ids words_of;
  granules.number_words(addresses, base, words_per_lane, granule_of, words_of);
  // Lanes that follow each other mostly share a granule. The others are found by a small table.
  constexpr std::uint8_t kNone = 0xff;
  std::array<std::uint8_t, 64> place;
  bool uses_table = false;
  std::uint32_t num_groups = 0;
  Group* group = nullptr;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const std::uint32_t granule = granule_of[lane];
    if (group == nullptr || group->granule != granule) {
      if (!uses_table) place.fill(kNone);
      uses_table = true;
      std::uint8_t& entry = place[(granule ^ granule >> 6) % place.size()];
      group = entry == kNone ? nullptr : &groups[entry];
      if (group != nullptr && group->granule != granule) {
        group = std::find_if(groups.data(), groups.data() + num_groups,
                             [&](const Group& other) { return other.granule == granule; });
        if (group == groups.data() + num_groups) group = nullptr;
      }
      if (group == nullptr) {
        entry = static_cast<std::uint8_t>(num_groups);
        group = &groups[num_groups++];
        *group = {granule, 0, 0};
      }
    }
    group->words |= words_of[lane];
    group->lanes |= 1u << lane;
  }
  return num_groups;
}

}  // namespace check
