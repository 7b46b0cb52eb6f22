// SPDX-License-Identifier: MIT
#include "count/request.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "count/numbers.h"

namespace count {
namespace {

using run::Access;
using run::kWarpSize;
using run::Pattern;

constexpr std::uint32_t kAllLanes = ~0U;
constexpr std::uint32_t kBankBytes = 4;
constexpr std::uint32_t kRowBytes = 128;       // one word of each bank
constexpr std::uint32_t kMaxVectorBytes = 16;  // of one instruction

std::size_t first_lane(const Access& access) {
  return static_cast<std::size_t>(std::countr_zero(access.lanes));
}

// Of a power of two.
int log2_of(std::uint32_t number) { return std::countr_zero(number); }

// How many groups of `size` neighbouring bits, a power of two up to 32, have a bit that is set.
int count_groups(std::uint64_t bits, std::uint32_t size) {
  constexpr std::array<std::uint64_t, 6> kFirstOfGroup = {0xFFFFFFFFFFFFFFFF, 0x5555555555555555,
                                                          0x1111111111111111, 0x0101010101010101,
                                                          0x0001000100010001, 0x0000000100000001};
  for (std::uint32_t distance = 1; distance < size; distance *= 2) bits |= bits >> distance;
  return std::popcount(bits & kFirstOfGroup[static_cast<std::size_t>(log2_of(size))]);
}

// Also of sizes that no instruction has today, and of addresses that are not aligned.
int sectors_of_any(const Access& access) {
  std::array<std::uint64_t, kWarpSize> first;
  std::size_t size = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    first[size++] = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
  }
  std::sort(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(size));
  std::uint64_t count = 0;
  std::uint64_t next = 0;  // the first sector that is not counted yet
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t begin = std::max(next, first[i] / kSectorBytes);
    const std::uint64_t end = (first[i] + access.size_bytes - 1) / kSectorBytes + 1;
    if (end > begin) count += end - begin;
    next = std::max(next, end);
  }
  return static_cast<int>(count);
}

// Lanes that shared memory serves at a time.
int lanes_per_phase(std::uint32_t size_bytes) {
  return size_bytes <= 4 ? 32 : size_bytes <= 8 ? 16 : 8;
}

int count_phases(std::uint32_t lanes, int num_lanes) {
  return count_groups(lanes, static_cast<std::uint32_t>(num_lanes));
}

bool is_wide_load(const Access& access) {
  return access.size_bytes > kBankBytes && access.reads && !access.writes;
}

// Whether two lanes that take part are neighbours in the sense of wavefronts_of().
bool has_neighbours(std::uint32_t lanes, int distance) {
  const std::uint32_t low = distance == 1 ? 0x55555555 : 0x33333333;
  return (lanes & lanes >> distance & low) != 0;
}

// `vectors`: the number of the vector that each lane reads.
bool agree_with_neighbours(const Numbers& vectors, std::uint32_t lanes, std::size_t distance) {
  for (std::size_t i = 0; i < kWarpSize; ++i) {
    const std::size_t other = i ^ distance;
    if (vectors[i] != vectors[other] && (lanes >> i & lanes >> other & 1) != 0) return false;
  }
  return true;
}

// For lanes at addresses in even steps, the distance in vectors. 0 if the steps are not even.
std::uint32_t even_step(const Numbers& vectors) {
  const std::uint32_t step = vectors[1] - vectors[0];
  for (std::size_t i = 2; i < kWarpSize; ++i) {
    if (vectors[i] - vectors[i - 1] != step) return 0;
  }
  return step;
}

Wavefronts wavefronts_of_any(const Access& access) {
  const std::uint32_t unit = std::max(access.size_bytes, kBankBytes);
  const Numbers vectors = numbers_of(access, log2_of(unit));
  const std::uint32_t lanes = access.lanes;
  const auto num_banks = kRowBytes / unit;  // that deliver a whole vector
  int num_lanes = lanes_per_phase(access.size_bytes);
  if (lanes == kAllLanes) {
    if (const std::uint32_t step = even_step(vectors); step != 0) {
      const int phases = kWarpSize / num_lanes;
      return {phases << std::min(std::countr_zero(step), std::countr_zero(num_banks)), phases};
    }
  }
  if (is_wide_load(access) &&
      (agree_with_neighbours(vectors, lanes, 1) || agree_with_neighbours(vectors, lanes, 2))) {
    num_lanes *= 2;
  }
  Wavefronts count;
  for (int first = 0; first < kWarpSize; first += num_lanes) {
    const std::uint64_t phase = ((std::uint64_t{1} << num_lanes) - 1) << first;
    if ((lanes & phase) == 0) continue;
    count.total += most_in_a_bank(vectors, lanes, static_cast<std::size_t>(first),
                                  static_cast<std::size_t>(num_lanes), num_banks);
    ++count.ideal;
  }
  return count;
}

}  // namespace

int sectors_of(const Access& access) {
  const std::uint32_t size = access.size_bytes;
  if (access.pattern == Pattern::kUniform) {
    const std::uint64_t address = access.address[first_lane(access)];
    return static_cast<int>((address + size - 1) / kSectorBytes - address / kSectorBytes + 1);
  }
  if (size > kMaxVectorBytes || !std::has_single_bit(size)) return sectors_of_any(access);
  if (access.pattern == Pattern::kContiguous) {
    const std::uint64_t in_sector = access.base % kSectorBytes;
    if (access.lanes == kAllLanes) {
      return static_cast<int>((in_sector + kWarpSize * size - 1) / kSectorBytes + 1);
    }
    const int shift = log2_of(size);
    return count_groups(std::uint64_t{access.lanes} << (in_sector >> shift),
                        static_cast<std::uint32_t>(kSectorBytes) >> shift);
  }
  return count_distinct(numbers_of(access, log2_of(kSectorBytes)), access.lanes == kAllLanes);
}

int passes_of(const Access& access) { return kWarpSize / lanes_per_phase(access.size_bytes); }

Wavefronts wavefronts_of(const Access& access) {
  const std::uint32_t lanes = access.lanes;
  const int num_lanes = lanes_per_phase(access.size_bytes);
  if (access.pattern == Pattern::kUniform) {
    const int phases = count_phases(lanes, is_wide_load(access) ? 2 * num_lanes : num_lanes);
    return {phases, phases};
  }
  if (access.pattern == Pattern::kContiguous) {
    const bool may_merge =
        is_wide_load(access) && (!has_neighbours(lanes, 1) || !has_neighbours(lanes, 2));
    if (!may_merge) {
      const int phases = count_phases(lanes, num_lanes);
      return {phases, phases};
    }
  }
  return wavefronts_of_any(access);
}

std::uint64_t new_units(const Access& access, std::uint64_t unit_bytes, std::uint64_t& last) {
  const std::uint64_t address = access.address[first_lane(access)];
  const std::uint64_t first = address / unit_bytes;
  const bool is_known = access.continues && first == last;
  last = (address + access.size_bytes - 1) / unit_bytes;
  return last - first + (is_known ? 0 : 1);
}

int largest_multiplicity(const Access& access) {
  if (access.pattern == Pattern::kUniform) return std::popcount(access.lanes);
  if (access.pattern == Pattern::kContiguous) return 1;
  return most_frequent(access);
}

bool has_one_address(const Access& access) {
  if (access.pattern == Pattern::kUniform) return true;
  const std::uint64_t first = access.address[first_lane(access)];
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    if (access.address[static_cast<std::size_t>(std::countr_zero(rest))] != first) return false;
  }
  return true;
}

}  // namespace count
