// SPDX-License-Identifier: MIT
// Test data: every value is a function of (seed, index), so that the judge can make the same data
// on the host and on a device, in any order, and nobody without the seed can foresee it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host_device.h"

namespace judge {

// 64 random bits for item `index`: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
LOCKSTEP_HOST_DEVICE inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t bits = seed + (index + 1) * 0x9E3779B97F4A7C15ULL;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31);
}

// An integer in [-limit, limit], as a float: sums of these are exact in any order below 2^24.
LOCKSTEP_HOST_DEVICE inline float random_integer(std::uint64_t seed, std::uint64_t index,
                                                 int limit) {
  const auto span = 2 * static_cast<std::uint64_t>(limit) + 1;
  const std::uint64_t scaled = ((random_bits(seed, index) >> 32) * span) >> 32;
  return static_cast<float>(static_cast<int>(scaled) - limit);
}

// A real number in [0, 1) with all 24 bits of a float in play.
LOCKSTEP_HOST_DEVICE inline float random_unit(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, index) >> 40) * 0x1p-24F;
}

// Draws the seeds of a test's cases, in order, from the run's one seed and the test's name: a test
// sees the same inputs whichever others ran before it.
class SeedSequence {
 public:
  SeedSequence(std::uint64_t run_seed, std::string_view test_name);
  std::uint64_t next() { return random_bits(seed_, next_index_++); }

 private:
  std::uint64_t seed_;
  std::uint64_t next_index_ = 0;
};

std::vector<float> random_integers(std::uint64_t seed, std::size_t count, int limit);
std::vector<float> random_units(std::uint64_t seed, std::size_t count);

// The three that follow work in device memory (cpu backend: in shared host memory), for data too
// large to copy.

// Fills `count` items with random_integer(limit) and returns their exact sum.
double fill_integers_and_sum(float* d_items, std::size_t count, std::uint64_t seed, int limit);

// Fills `count` words with random bits: the upper half of random_bits(seed, index).
void fill_words(std::uint32_t* d_words, std::size_t count, std::uint64_t seed);

// How many of `count` words differ between two arrays.
std::uint64_t count_differences(const std::uint32_t* d_a, const std::uint32_t* d_b,
                                std::size_t count);

}  // namespace judge
