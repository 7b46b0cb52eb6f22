// SPDX-License-Identifier: MIT
#include "random/sobol.h"

#include <bit>

#include "random/streams.h"

namespace runtime {
namespace {

// The recurrence of a dimension's polynomial, begun by its numbers (P. Bratley and B. Fox,
// "Algorithm 659: implementing Sobol's quasirandom sequence generator", 1988).
template <class Word>
std::vector<DirectionVectors<Word>> make_vectors() {
  constexpr unsigned kBits = 8 * sizeof(Word);
  std::vector<DirectionVectors<Word>> all(kSobolDimensions);
  for (unsigned i = 0; i < kBits; ++i) all[0][i] = Word{1} << (kBits - 1 - i);
  const std::uint16_t* numbers = kSobolNumbers;
  for (unsigned dimension = 1; dimension < kSobolDimensions; ++dimension) {
    DirectionVectors<Word>& v = all[dimension];
    const unsigned polynomial = *numbers++;
    const unsigned degree = static_cast<unsigned>(std::bit_width(polynomial)) - 1;
    for (unsigned i = 0; i < degree; ++i) v[i] = Word{*numbers++} << (kBits - 1 - i);
    for (unsigned i = degree; i < kBits; ++i) {
      v[i] = v[i - degree] ^ (v[i - degree] >> degree);
      for (unsigned k = 1; k < degree; ++k) {
        if ((polynomial >> (degree - k) & 1) != 0) v[i] ^= v[i - k];
      }
    }
  }
  return all;
}

// J. Matousek, "On the L2-discrepancy for anchored boxes", 1998: each bit is replaced by its sum
// with a random choice of the bits above, and a random word is added.
template <class Word>
Scramble<Word> make_scramble() {
  constexpr unsigned kBits = 8 * sizeof(Word);
  Scramble<Word> result = {sobol_vectors<Word>(), {}};
  curandStateXORWOW state;
  curand_init(kBits, 0, 0, &state);
  const auto draw = [&state] {
    const std::uint64_t high = curand(&state);
    return static_cast<Word>(high << 32 | curand(&state));
  };
  for (DirectionVectors<Word>& vectors : result.vectors) {
    result.constants.push_back(draw());
    DirectionVectors<Word> scrambled = {};
    for (unsigned bit = 0; bit < kBits; ++bit) {
      const Word own = Word{1} << bit;
      const Word chosen = (draw() & ~(own | (own - 1))) | own;
      for (unsigned i = 0; i < kBits; ++i) {
        if (std::popcount(static_cast<Word>(vectors[i] & chosen)) % 2 != 0) scrambled[i] |= own;
      }
    }
    vectors = scrambled;
  }
  return result;
}

}  // namespace

template <class Word>
const std::vector<DirectionVectors<Word>>& sobol_vectors() {
  static const auto& all = *new std::vector<DirectionVectors<Word>>(make_vectors<Word>());
  return all;
}

template <class Word>
const Scramble<Word>& scrambled_sobol() {
  static const auto& all = *new Scramble<Word>(make_scramble<Word>());
  return all;
}

template const std::vector<DirectionVectors<unsigned>>& sobol_vectors();
template const std::vector<DirectionVectors<unsigned long long>>& sobol_vectors();
template const Scramble<unsigned>& scrambled_sobol();
template const Scramble<unsigned long long>& scrambled_sobol();

namespace {

// CUDA's types are not const, although a program must not write there.
template <class Word, class Vectors>
curandStatus_t get_vectors(Vectors** result, curandDirectionVectorSet_t set,
                           curandDirectionVectorSet_t plain) {
  const bool is_scrambled = set == plain + 1;
  if (result == nullptr || (set != plain && !is_scrambled)) return CURAND_STATUS_OUT_OF_RANGE;
  const auto& all = is_scrambled ? scrambled_sobol<Word>().vectors : sobol_vectors<Word>();
  static_assert(sizeof(Vectors) == sizeof all[0]);
  *result = reinterpret_cast<Vectors*>(const_cast<DirectionVectors<Word>*>(all.data()));
  return CURAND_STATUS_SUCCESS;
}

template <class Word>
curandStatus_t get_constants(Word** result) {
  if (result == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *result = const_cast<Word*>(scrambled_sobol<Word>().constants.data());
  return CURAND_STATUS_SUCCESS;
}

}  // namespace
}  // namespace runtime

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t** vectors,
                                           curandDirectionVectorSet_t set) {
  return runtime::get_vectors<unsigned>(vectors, set, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t** vectors,
                                           curandDirectionVectorSet_t set) {
  return runtime::get_vectors<unsigned long long>(vectors, set,
                                                  CURAND_DIRECTION_VECTORS_64_JOEKUO6);
}

curandStatus_t curandGetScrambleConstants32(unsigned** constants) {
  return runtime::get_constants(constants);
}

curandStatus_t curandGetScrambleConstants64(unsigned long long** constants) {
  return runtime::get_constants(constants);
}
