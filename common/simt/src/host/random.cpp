// SPDX-License-Identifier: MIT
// Skipping ahead. A step of XORWOW's five words is linear over the field of two elements, and a
// step of MRG32k3a's recurrences is linear modulo a number, so many steps are a power of one
// matrix.
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

// MRG32k3a's: three numbers of a recurrence, the oldest first.
using Triple = std::array<std::uint64_t, 3>;
using Matrix = std::array<Triple, 3>;  // its rows

Triple applied(const Matrix& matrix, const Triple& triple, std::uint64_t modulus) {
  Triple result = {};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 3; ++i) {
      result[row] = (result[row] + matrix[row][i] * triple[i] % modulus) % modulus;
    }
  }
  return result;
}

Matrix squared(const Matrix& matrix, std::uint64_t modulus) {
  Matrix result = {};
  for (std::size_t column = 0; column < 3; ++column) {
    const Triple of_column =
        applied(matrix, {matrix[0][column], matrix[1][column], matrix[2][column]}, modulus);
    for (std::size_t row = 0; row < 3; ++row) result[row][column] = of_column[row];
  }
  return result;
}

// The matrices of 2^0, 2^1, ... steps of a recurrence, whose last row makes the next number.
std::vector<Matrix> powers_of(const Triple& last_row, std::uint64_t modulus) {
  std::vector<Matrix> all = {{{{0, 1, 0}, {0, 0, 1}, last_row}}};
  while (all.size() < kMrgSequence + 64) all.push_back(squared(all.back(), modulus));
  return all;
}

void skip_triple(std::uint32_t (&numbers)[3], const std::vector<Matrix>& powers,
                 std::uint64_t modulus, std::uint64_t steps, int log2_stride) {
  Triple now = {numbers[0], numbers[1], numbers[2]};
  for (; steps != 0; steps &= steps - 1) {
    const int power = log2_stride + std::countr_zero(steps);
    now = applied(powers[static_cast<std::size_t>(power)], now, modulus);
  }
  for (std::size_t i = 0; i < 3; ++i) numbers[i] = static_cast<std::uint32_t>(now[i]);
}

}  // namespace

void skip_mrg(std::uint32_t (&first)[3], std::uint32_t (&second)[3], std::uint64_t steps,
              int log2_stride) {
  constexpr auto kFirst = kMrgModulus[0], kSecond = kMrgModulus[1];
  static const auto& firsts =
      *new std::vector<Matrix>(powers_of({kFirst - 810728, 1403580, 0}, kFirst));
  static const auto& seconds =  // both outlive all users
      *new std::vector<Matrix>(powers_of({kSecond - 1370589, 0, 527612}, kSecond));
  skip_triple(first, firsts, kFirst, steps, log2_stride);
  skip_triple(second, seconds, kSecond, steps, log2_stride);
}

void skip_xorwow(std::uint32_t (&words)[kWords], std::uint64_t steps, int log2_stride) {
  Words now = std::to_array(words);
  for (; steps != 0; steps &= steps - 1) {
    now = applied(powers()[log2_stride + std::countr_zero(steps)], now);
  }
  for (int i = 0; i < kWords; ++i) words[i] = now[i];
}

}  // namespace simt
