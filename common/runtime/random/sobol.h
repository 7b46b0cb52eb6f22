// SPDX-License-Identifier: MIT
// Direction vectors of Sobol's sequences.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace runtime {

inline constexpr unsigned kSobolDimensions = 512;

extern const std::uint16_t kSobolNumbers[];

template <class Word>
using DirectionVectors = std::array<Word, 8 * sizeof(Word)>;

template <class Word>
struct Scramble {
  std::vector<DirectionVectors<Word>> vectors;
  std::vector<Word> constants;
};

// One for each dimension. Word: 32 or 64 bits
template <class Word>
const std::vector<DirectionVectors<Word>>& sobol_vectors();

// The same, scrambled.
template <class Word>
const Scramble<Word>& scrambled_sobol();

}  // namespace runtime
