// SPDX-License-Identifier: MIT
// Data made where it is needed: inputs of gigabytes would take seconds to copy.
#include "device_loop.cuh"
#include "test_data.h"

namespace judge {
namespace {

// Sums are kept in integers: exact, so their order does not matter.
struct FillInteger {
  float* d_items;
  std::uint64_t seed;
  int limit;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const float value = random_integer(seed, index, limit);
    d_items[index] = value;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
};

struct FillWord {
  std::uint32_t* d_words;
  std::uint64_t seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    d_words[index] = static_cast<std::uint32_t>(random_bits(seed, index) >> 32);
    return 0;
  }
};

struct Differs {
  const std::uint32_t* d_a;
  const std::uint32_t* d_b;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    return d_a[index] != d_b[index] ? 1 : 0;
  }
};

}  // namespace

double fill_integers_and_sum(float* d_items, std::size_t count, std::uint64_t seed, int limit) {
  // Two's complement: negatives, added as unsigned, wrap to the right total.
  const std::uint64_t sum = sum_over(count, FillInteger{d_items, seed, limit});
  return static_cast<double>(static_cast<std::int64_t>(sum));
}

void fill_words(std::uint32_t* d_words, std::size_t count, std::uint64_t seed) {
  sum_over(count, FillWord{d_words, seed});
}

std::uint64_t count_differences(const std::uint32_t* d_a, const std::uint32_t* d_b,
                                std::size_t count) {
  return sum_over(count, Differs{d_a, d_b});
}

}  // namespace judge
