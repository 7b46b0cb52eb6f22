// SPDX-License-Identifier: MIT
// A step of XORWOW's five words is linear over the field of two elements, and a step of MRG32k3a's
// recurrences is linear modulo a number. So many steps are a power of one matrix.
#include "run/skip_ahead.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace run {
namespace {

constexpr std::size_t kPowers = kMaxLog2Stride + 64;
constexpr std::size_t kBits = 32 * std::tuple_size_v<XorwowWords>;

using BitMatrix = std::array<XorwowWords, kBits>;  // what becomes of each bit

XorwowWords applied(const BitMatrix& matrix, const XorwowWords& words) {
  XorwowWords result = {};
  for (std::size_t word = 0; word < words.size(); ++word) {
    for (std::uint32_t rest = words[word]; rest != 0; rest &= rest - 1) {
      const XorwowWords& column = matrix[32 * word + static_cast<unsigned>(std::countr_zero(rest))];
      for (std::size_t i = 0; i < result.size(); ++i) result[i] ^= column[i];
    }
  }
  return result;
}

XorwowWords one_step(const XorwowWords& words) {
  const std::uint32_t mixed = words[0] ^ (words[0] >> 2);
  const std::uint32_t last = words[4];
  return {words[1], words[2], words[3], last, last ^ (last << 4) ^ mixed ^ (mixed << 1)};
}

// The matrices of 2^0, 2^1, ... steps.
std::vector<BitMatrix> xorwow_powers() {
  std::vector<BitMatrix> all(kPowers);
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    XorwowWords words = {};
    words[bit / 32] = std::uint32_t{1} << bit % 32;
    all[0][bit] = one_step(words);
  }
  for (std::size_t power = 1; power < kPowers; ++power) {
    const BitMatrix& half = all[power - 1];
    for (std::size_t bit = 0; bit < kBits; ++bit) all[power][bit] = applied(half, half[bit]);
  }
  return all;
}

using Triple = std::array<std::uint64_t, 3>;
using Matrix = std::array<Triple, 3>;  // its rows

class Recurrence {
 public:
  // `last_row` makes the next number of three.
  Recurrence(const Triple& last_row, std::uint64_t modulus)
      : modulus_(modulus), powers_{{{{0, 1, 0}, {0, 0, 1}, last_row}}} {
    while (powers_.size() < kPowers) powers_.push_back(squared(powers_.back()));
  }

  MrgNumbers skip(const MrgNumbers& numbers, std::uint64_t steps, int log2_stride) const {
    Triple now = {numbers[0], numbers[1], numbers[2]};
    for (; steps != 0; steps &= steps - 1) {
      now = applied(powers_[static_cast<std::size_t>(log2_stride + std::countr_zero(steps))], now);
    }
    return {static_cast<std::uint32_t>(now[0]), static_cast<std::uint32_t>(now[1]),
            static_cast<std::uint32_t>(now[2])};
  }

 private:
  Triple applied(const Matrix& matrix, const Triple& triple) const {
    Triple result = {};
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t i = 0; i < 3; ++i) {
        result[row] = (result[row] + matrix[row][i] * triple[i] % modulus_) % modulus_;
      }
    }
    return result;
  }

  Matrix squared(const Matrix& matrix) const {
    Matrix result = {};
    for (std::size_t column = 0; column < 3; ++column) {
      const Triple of_column =
          applied(matrix, {matrix[0][column], matrix[1][column], matrix[2][column]});
      for (std::size_t row = 0; row < 3; ++row) result[row][column] = of_column[row];
    }
    return result;
  }

  std::uint64_t modulus_;
  std::vector<Matrix> powers_;  // of 2^0, 2^1, ... steps
};

constexpr std::uint64_t kFirstModulus = 4294967087, kSecondModulus = 4294944443;

}  // namespace

XorwowWords skip_xorwow(const XorwowWords& words, std::uint64_t steps, int log2_stride) {
  static const auto& powers = *new std::vector<BitMatrix>(xorwow_powers());  // outlives all users
  XorwowWords now = words;
  for (; steps != 0; steps &= steps - 1) {
    now = applied(powers[static_cast<std::size_t>(log2_stride + std::countr_zero(steps))], now);
  }
  return now;
}

MrgNumbers skip_first_mrg(const MrgNumbers& numbers, std::uint64_t steps, int log2_stride) {
  static const auto& first = *new Recurrence({kFirstModulus - 810728, 1403580, 0}, kFirstModulus);
  return first.skip(numbers, steps, log2_stride);
}

MrgNumbers skip_second_mrg(const MrgNumbers& numbers, std::uint64_t steps, int log2_stride) {
  static const auto& second =
      *new Recurrence({kSecondModulus - 1370589, 0, 527612}, kSecondModulus);
  return second.skip(numbers, steps, log2_stride);
}

}  // namespace run
