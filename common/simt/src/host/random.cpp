// SPDX-License-Identifier: MIT
// Skipping ahead in XORWOW's sequence. A step of its five words is linear over the field of two
// elements, so many steps are a power of one matrix.
#include "simt/random.h"

#include <array>
#include <bit>
#include <vector>

namespace simt {
namespace {

constexpr int kWords = 5;
constexpr int kBits = 32 * kWords;
constexpr int kPowers = kXorwowSubsequence + 64;

using Words = std::array<std::uint32_t, kWords>;
using BitMatrix = std::array<Words, kBits>;  // what becomes of each bit

Words applied(const BitMatrix& matrix, const Words& words) {
  Words result = {};
  for (int word = 0; word < kWords; ++word) {
    for (std::uint32_t rest = words[word]; rest != 0; rest &= rest - 1) {
      const Words& column = matrix[32 * word + std::countr_zero(rest)];
      for (int i = 0; i < kWords; ++i) result[i] ^= column[i];
    }
  }
  return result;
}

Words one_step(const Words& words) {
  const std::uint32_t mixed = words[0] ^ (words[0] >> 2);
  const std::uint32_t last = words[4];
  return {words[1], words[2], words[3], last, last ^ (last << 4) ^ mixed ^ (mixed << 1)};
}

// The matrices of 2^0, 2^1, ... steps.
const std::vector<BitMatrix>& powers() {
  static const auto& all = []() -> const std::vector<BitMatrix>& {
    auto* const result = new std::vector<BitMatrix>(kPowers);  // outlives all users
    for (int bit = 0; bit < kBits; ++bit) {
      Words words = {};
      words[bit / 32] = std::uint32_t{1} << bit % 32;
      (*result)[0][bit] = one_step(words);
    }
    for (int power = 1; power < kPowers; ++power) {
      const BitMatrix& half = (*result)[power - 1];
      for (int bit = 0; bit < kBits; ++bit) (*result)[power][bit] = applied(half, half[bit]);
    }
    return *result;
  }();
  return all;
}

}  // namespace

void skip_xorwow(std::uint32_t (&words)[kWords], std::uint64_t steps, int log2_stride) {
  Words now = std::to_array(words);
  for (; steps != 0; steps &= steps - 1) {
    now = applied(powers()[log2_stride + std::countr_zero(steps)], now);
  }
  for (int i = 0; i < kWords; ++i) words[i] = now[i];
}

}  // namespace simt
