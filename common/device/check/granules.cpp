// SPDX-License-Identifier: MIT
#include "check/granules.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace check {
namespace {

template <class T>
constexpr std::array<T, kGranuleWords> make_bits() {
  std::array<T, kGranuleWords> bits = {};
  for (std::uint32_t w = 0; w < kGranuleWords; ++w) bits[w] = T{1} << w;
  return bits;
}
alignas(64) constexpr auto kWordBits = make_bits<std::uint64_t>();
alignas(64) constexpr auto kIdBits = make_bits<std::uint32_t>();
alignas(64) constexpr std::array<std::uint64_t, 8> kNumbers = {0, 1, 2, 3, 4, 5, 6, 7};

namespace plain {
#define CHECK_BYTES 16
#define CHECK_TARGET
#include "check/granules.inc"
#undef CHECK_TARGET
#undef CHECK_BYTES
}  // namespace plain

// __attribute__((target_clones)) would do the same in fewer lines, but g++ takes these vectors
// apart before it makes the clones.
#if defined(__x86_64__)
namespace wide {
#define CHECK_AVX512
#define CHECK_BYTES 64
#define CHECK_TARGET __attribute__((target("avx2,avx512f,avx512vl,avx512dq,avx512bw,bmi2")))
#include "check/granules.inc"
#undef CHECK_TARGET
#undef CHECK_BYTES
#undef CHECK_AVX512
}  // namespace wide
namespace middle {
#define CHECK_AVX2
#define CHECK_BYTES 32
#define CHECK_TARGET __attribute__((target("avx2,bmi2")))
#include "check/granules.inc"
#undef CHECK_TARGET
#undef CHECK_BYTES
#undef CHECK_AVX2
}  // namespace middle
#endif

}  // namespace

const GranuleFunctions granules = [] {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (has_avx2 && has_avx512)
    return GranuleFunctions{
        wide::unordered,    wide::note_reads,  wide::replace,      wide::differ,   wide::clear,
        wide::number_lanes, wide::place_lanes, wide::number_words, wide::lanes_at, wide::words_at};
  if (has_avx2)
    return GranuleFunctions{middle::unordered,   middle::note_reads,   middle::replace,
                            middle::differ,      middle::clear,        middle::number_lanes,
                            middle::place_lanes, middle::number_words, middle::lanes_at,
                            middle::words_at};
#endif
  return GranuleFunctions{plain::unordered,   plain::note_reads,   plain::replace,
                          plain::differ,      plain::clear,        plain::number_lanes,
                          plain::place_lanes, plain::number_words, plain::lanes_at,
                          plain::words_at};
}();

void Shadow::make_record(std::size_t granule) const {
  Digest& digest = digests[granule];
  Record& record = records[granule];
  if (digest.kept == Kept::kStrip) {
    const Strip& strip = digest.strip;
    alignas(64) Own own;
    granules.number_lanes(own, strip.lane_0, strip.first_word, strip.shift);
    if (strip.is_write) {
      granules.replace(record.write, record.write_id, own, strip.id, strip.words);
    } else {
      granules.replace(record.reads[0], record.read_ids[0], own, strip.id, strip.words);
    }
  }
  digest.kept = Kept::kRecord;
}

std::uint32_t find_granules(const Addresses& addresses, std::uint32_t lanes, const Area& area,
                            std::uint32_t size_bytes, Groups& groups) {
  alignas(64) Ids granule_of;
  alignas(64) Ids words_of;
  const std::uint32_t fine =
      granules.number_words(addresses, area, size_bytes, granule_of, words_of);
  if ((lanes & ~fine) != 0) return 0;
  std::uint32_t num_groups = 0;
  while (lanes != 0) {
    const std::uint32_t granule = granule_of[static_cast<std::size_t>(std::countr_zero(lanes))];
    const std::uint32_t members = granules.lanes_at(granule_of, granule) & lanes;
    groups[num_groups++] = {granule, granules.words_at(words_of, members), members};
    lanes &= ~members;
  }
  return num_groups;
}

}  // namespace check
