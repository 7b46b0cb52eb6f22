// SPDX-License-Identifier: MIT
// cuRAND's device API: the generators XORWOW, Philox 4x32-10 and MRG32k3a and Sobol's sequences,
// with uniform, normal, log-normal and Poisson numbers. Bits and uniform numbers are those of a
// GPU. Normal numbers differ in the last bits, as logarithms and sines do; Poisson numbers with a
// mean from 64 to 4000 are others, of the same distribution.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"
#include "curand.h"
#include "lockstep/random.h"
#include "lockstep/random_distributions.h"

// What a state keeps for the next call: of two normal numbers, the second.
struct curandStateXORWOW {
  unsigned int d;
  unsigned int v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;  // of ctr
  uint2 key;
  unsigned int STATE;  // how many words of output have been used
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
  unsigned int s1[3];
  unsigned int s2[3];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

namespace lockstep {

template <class Word>
struct SobolState {
  Word i, x, c;
  Word direction_vectors[8 * sizeof(Word)];
};

}  // namespace lockstep

struct curandStateSobol32 : lockstep::SobolState<unsigned int> {};
struct curandStateScrambledSobol32 : lockstep::SobolState<unsigned int> {};
struct curandStateSobol64 : lockstep::SobolState<unsigned long long> {};
struct curandStateScrambledSobol64 : lockstep::SobolState<unsigned long long> {};
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;

#if defined(__CUDA__) || defined(LOCKSTEP_HOST_RANDOM)  // the runtime has them on the host, too

namespace lockstep {

template <class State>
inline constexpr bool kIsRandomState =
    std::is_same_v<State, curandStateXORWOW> || std::is_same_v<State, curandStatePhilox4_32_10> ||
    std::is_same_v<State, curandStateMRG32k3a>;

template <class State, class = std::enable_if_t<kIsRandomState<State>>>
LOCKSTEP_DEVICE void forget_extra(State* state) {
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}

LOCKSTEP_DEVICE void skip(curandStateXORWOW* state, unsigned long long steps, int log2_stride) {
  std::uint32_t words[5];
  for (int i = 0; i < 5; ++i) words[i] = state->v[i];
  skip_xorwow(words, steps, log2_stride);
  for (int i = 0; i < 5; ++i) state->v[i] = words[i];
}

LOCKSTEP_DEVICE void skip(curandStateMRG32k3a* state, unsigned long long steps, int log2_stride) {
  std::uint32_t first[3], second[3];
  for (int i = 0; i < 3; ++i) first[i] = state->s1[i], second[i] = state->s2[i];
  skip_mrg(first, second, steps, log2_stride);
  for (int i = 0; i < 3; ++i) state->s1[i] = first[i], state->s2[i] = second[i];
}
LOCKSTEP_DEVICE std::uint32_t next_number(curandStateMRG32k3a* state) {
  const std::uint32_t first = next_mrg_first(state->s1[0], state->s1[1]);
  const std::uint32_t second = next_mrg_second(state->s2[0], state->s2[2]);
  for (int i = 0; i < 2; ++i) state->s1[i] = state->s1[i + 1], state->s2[i] = state->s2[i + 1];
  state->s1[2] = first;
  state->s2[2] = second;
  return mrg_number(first, second);
}

LOCKSTEP_DEVICE unsigned word_of(uint4 words, unsigned index) {
  return index == 0 ? words.x : index == 1 ? words.y : index == 2 ? words.z : words.w;
}

// The kinds of number of which a state keeps the second.
inline constexpr int kExtraNormal = 1;
inline constexpr int kExtraLogNormal = 2;

// The second number of the last pair, if `kept` holds one of this kind, or the first of a new pair.
template <class T, class Make>
LOCKSTEP_DEVICE T one_of_pair(int* kept_kind, T* kept, int kind, Make make) {
  if (*kept_kind == kind) {
    *kept_kind = 0;
    return *kept;
  }
  const auto both = make();
  *kept = both.y;
  *kept_kind = kind;
  return both.x;
}

}  // namespace lockstep

LOCKSTEP_DEVICE void skipahead(unsigned long long num_numbers, curandStateXORWOW* state) {
  lockstep::skip(state, num_numbers, 0);
  state->d += static_cast<unsigned>(num_numbers) * lockstep::kWeylStep;
}
// A whole subsequence adds a multiple of 2^32 to d.
LOCKSTEP_DEVICE void skipahead_sequence(unsigned long long num_sequences,
                                        curandStateXORWOW* state) {
  lockstep::skip(state, num_sequences, lockstep::kXorwowSubsequence);
}
LOCKSTEP_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                                 unsigned long long offset, curandStateXORWOW* state) {
  const lockstep::XorwowState start = lockstep::seed_xorwow(seed);
  state->d = start.weyl;
  for (int i = 0; i < 5; ++i) state->v[i] = start.words[i];
  lockstep::forget_extra(state);
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
LOCKSTEP_DEVICE unsigned int curand(curandStateXORWOW* state) {
  const unsigned mixed = state->v[0] ^ (state->v[0] >> 2);
  const unsigned last = state->v[4];
  for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
  const unsigned next = last ^ (last << 4) ^ mixed ^ (mixed << 1);
  state->v[4] = next;
  state->d += lockstep::kWeylStep;
  return next + state->d;
}

LOCKSTEP_DEVICE void skipahead(unsigned long long num_numbers, curandStatePhilox4_32_10* state) {
  const unsigned used = state->STATE + static_cast<unsigned>(num_numbers % 4);
  state->STATE = used % 4;
  state->ctr = lockstep::advanced(state->ctr, 0, num_numbers / 4 + used / 4);
  state->output = lockstep::philox(state->ctr, state->key);
}
LOCKSTEP_DEVICE void skipahead_sequence(unsigned long long num_sequences,
                                        curandStatePhilox4_32_10* state) {
  state->ctr = lockstep::advanced(state->ctr, num_sequences, 0);
  state->output = lockstep::philox(state->ctr, state->key);
}
LOCKSTEP_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                                 unsigned long long offset, curandStatePhilox4_32_10* state) {
  state->ctr = uint4{0, 0, 0, 0};
  state->key = uint2{static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  state->STATE = 0;
  lockstep::forget_extra(state);
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
LOCKSTEP_DEVICE unsigned int curand(curandStatePhilox4_32_10* state) {
  const unsigned word = lockstep::word_of(state->output, state->STATE);
  skipahead(1, state);
  return word;
}
LOCKSTEP_DEVICE uint4 curand4(curandStatePhilox4_32_10* state) {
  const uint4 now = state->output;
  const unsigned used = state->STATE;
  skipahead(4, state);
  const uint4 next = state->output;
  const unsigned words[] = {now.x, now.y, now.z, now.w, next.x, next.y, next.z};
  return uint4{words[used], words[used + 1], words[used + 2], words[used + 3]};
}

LOCKSTEP_DEVICE void skipahead(unsigned long long num_numbers, curandStateMRG32k3a* state) {
  lockstep::skip(state, num_numbers, 0);
}
LOCKSTEP_DEVICE void skipahead_subsequence(unsigned long long num_subsequences,
                                           curandStateMRG32k3a* state) {
  lockstep::skip(state, num_subsequences, lockstep::kMrgSubsequence);
}
LOCKSTEP_DEVICE void skipahead_sequence(unsigned long long num_sequences,
                                        curandStateMRG32k3a* state) {
  lockstep::skip(state, num_sequences, lockstep::kMrgSequence);
}
LOCKSTEP_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                                 unsigned long long offset, curandStateMRG32k3a* state) {
  std::uint64_t low = 1, high = 1;  // without a seed the state is the paper's
  if (seed != 0) low = static_cast<unsigned>(seed) ^ 0x55555555U, high = seed >> 32 ^ 0xAAAAAAAAU;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t scaled[] = {(i == 1 ? high : low) * lockstep::kMrgStart,
                                    (i == 1 ? low : high) * lockstep::kMrgStart};
    state->s1[i] = static_cast<unsigned>(scaled[0] % lockstep::kMrgModulus[0]);
    state->s2[i] = static_cast<unsigned>(scaled[1] % lockstep::kMrgModulus[1]);
  }
  lockstep::forget_extra(state);
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}
LOCKSTEP_DEVICE unsigned int curand(curandStateMRG32k3a* state) {
  return lockstep::bits_of_mrg(lockstep::next_number(state));
}

// Uniform numbers in (0, 1].
template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE float curand_uniform(State* state) {
  return lockstep::uniform(curand(state));
}
LOCKSTEP_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  return float4{lockstep::uniform(bits.x), lockstep::uniform(bits.y), lockstep::uniform(bits.z),
                lockstep::uniform(bits.w)};
}
LOCKSTEP_DEVICE double curand_uniform_double(curandStateXORWOW* state) {
  const unsigned low = curand(state);
  return lockstep::uniform_double(low, curand(state));
}
LOCKSTEP_DEVICE double curand_uniform_double(curandStatePhilox4_32_10* state) {
  return lockstep::uniform_double(curand(state));
}
LOCKSTEP_DEVICE double curand_uniform_double(curandStateMRG32k3a* state) {
  return lockstep::uniform_of_mrg(lockstep::next_number(state));
}
LOCKSTEP_DEVICE float curand_uniform(curandStateMRG32k3a* state) {
  return static_cast<float>(curand_uniform_double(state));
}
LOCKSTEP_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  return double2{lockstep::uniform_double(bits.x, bits.y),
                 lockstep::uniform_double(bits.z, bits.w)};
}

// Normal numbers with the mean 0 and the deviation 1.
template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE float2 curand_normal2(State* state) {
  const unsigned radius_bits = curand(state);
  return lockstep::box_muller(radius_bits, curand(state));
}
LOCKSTEP_DEVICE float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  const float2 first = lockstep::box_muller(bits.x, bits.y);
  const float2 second = lockstep::box_muller(bits.z, bits.w);
  return float4{first.x, first.y, second.x, second.y};
}
LOCKSTEP_DEVICE double2 curand_normal2_double(curandStateXORWOW* state) {
  uint4 bits;
  bits.x = curand(state);
  bits.y = curand(state);
  bits.z = curand(state);
  bits.w = curand(state);
  return lockstep::box_muller_double(bits);
}
LOCKSTEP_DEVICE double2 curand_normal2_double(curandStatePhilox4_32_10* state) {
  return lockstep::box_muller_double(curand4(state));
}
LOCKSTEP_DEVICE float2 curand_normal2(curandStateMRG32k3a* state) {
  const std::uint32_t radius = lockstep::next_number(state);
  return lockstep::box_muller_of_mrg(radius, lockstep::next_number(state));
}
LOCKSTEP_DEVICE double2 curand_normal2_double(curandStateMRG32k3a* state) {
  const std::uint32_t radius = lockstep::next_number(state);
  return lockstep::box_muller_double_of_mrg(radius, lockstep::next_number(state));
}
template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE float curand_normal(State* state) {
  return lockstep::one_of_pair(&state->boxmuller_flag, &state->boxmuller_extra,
                               lockstep::kExtraNormal, [=] { return curand_normal2(state); });
}
template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE double curand_normal_double(State* state) {
  return lockstep::one_of_pair(&state->boxmuller_flag_double, &state->boxmuller_extra_double,
                               lockstep::kExtraNormal,
                               [=] { return curand_normal2_double(state); });
}

// exp of normal numbers with that mean and deviation.
template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE float2 curand_log_normal2(State* state, float mean, float stddev) {
  const float2 normal = curand_normal2(state);
  return float2{expf(mean + stddev * normal.x), expf(mean + stddev * normal.y)};
}
LOCKSTEP_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean,
                                          float stddev) {
  const float4 normal = curand_normal4(state);
  return float4{expf(mean + stddev * normal.x), expf(mean + stddev * normal.y),
                expf(mean + stddev * normal.z), expf(mean + stddev * normal.w)};
}
template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE double2 curand_log_normal2_double(State* state, double mean, double stddev) {
  const double2 normal = curand_normal2_double(state);
  return double2{exp(mean + stddev * normal.x), exp(mean + stddev * normal.y)};
}
template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE float curand_log_normal(State* state, float mean, float stddev) {
  return lockstep::one_of_pair(&state->boxmuller_flag, &state->boxmuller_extra,
                               lockstep::kExtraLogNormal,
                               [=] { return curand_log_normal2(state, mean, stddev); });
}
template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE double curand_log_normal_double(State* state, double mean, double stddev) {
  return lockstep::one_of_pair(&state->boxmuller_flag_double, &state->boxmuller_extra_double,
                               lockstep::kExtraLogNormal,
                               [=] { return curand_log_normal2_double(state, mean, stddev); });
}

template <class State, class = std::enable_if_t<lockstep::kIsRandomState<State>>>
LOCKSTEP_DEVICE unsigned int curand_poisson(State* state, double mean) {
  const auto next = [state] { return curand_uniform(state); };
  if (mean < 64) return lockstep::poisson_by_counting(static_cast<float>(mean), next);
  if (mean > 4000) return lockstep::poisson_of_normal(mean, curand_normal_double(state));
  return lockstep::poisson_by_rejection(mean, next);
}
LOCKSTEP_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10* state, double mean) {
  uint4 result;
  if (mean > 4000) {
    const double2 first = curand_normal2_double(state);
    const double2 second = curand_normal2_double(state);
    result.x = lockstep::poisson_of_normal(mean, first.x);
    result.y = lockstep::poisson_of_normal(mean, first.y);
    result.z = lockstep::poisson_of_normal(mean, second.x);
    result.w = lockstep::poisson_of_normal(mean, second.y);
    return result;
  }
  result.x = curand_poisson(state, mean);
  result.y = curand_poisson(state, mean);
  result.z = curand_poisson(state, mean);
  result.w = curand_poisson(state, mean);
  return result;
}

// Sobol's sequences. `vectors` are those of a dimension.
namespace lockstep {

template <class Word>
LOCKSTEP_DEVICE void skip(SobolState<Word>* state, Word num_numbers) {
  constexpr int kBits = 8 * sizeof(Word);
  state->i += num_numbers;
  state->x = state->c;
  const Word gray_code = state->i ^ (state->i >> 1);
  for (int bit = 0; bit < kBits; ++bit) {
    if ((gray_code >> bit & 1) != 0) state->x ^= state->direction_vectors[bit];
  }
}

template <class Word>
LOCKSTEP_DEVICE void start_sobol(SobolState<Word>* state, const Word* vectors, Word scramble,
                                 Word offset) {
  constexpr int kBits = 8 * sizeof(Word);
  for (int bit = 0; bit < kBits; ++bit) state->direction_vectors[bit] = vectors[bit];
  state->i = 0;
  state->c = scramble;
  skip(state, offset);
}

template <class Word>
LOCKSTEP_DEVICE Word next_word(SobolState<Word>* state) {
  constexpr int kLast = 8 * sizeof(Word) - 1;
  const Word word = state->x;
  int bit = 0;  // the lowest of the index that is 0
  while (bit < kLast && (state->i >> bit & 1) != 0) ++bit;
  state->x ^= state->direction_vectors[bit];
  ++state->i;
  return word;
}

}  // namespace lockstep

LOCKSTEP_DEVICE void curand_init(unsigned int* vectors, unsigned int offset,
                                 curandStateSobol32* state) {
  lockstep::start_sobol(state, vectors, 0U, offset);
}
LOCKSTEP_DEVICE void curand_init(unsigned long long* vectors, unsigned long long offset,
                                 curandStateSobol64* state) {
  lockstep::start_sobol(state, vectors, 0ULL, offset);
}
LOCKSTEP_DEVICE void curand_init(unsigned int* vectors, unsigned int scramble, unsigned int offset,
                                 curandStateScrambledSobol32* state) {
  lockstep::start_sobol(state, vectors, scramble, offset);
}
LOCKSTEP_DEVICE void curand_init(unsigned long long* vectors, unsigned long long scramble,
                                 unsigned long long offset, curandStateScrambledSobol64* state) {
  lockstep::start_sobol(state, vectors, scramble, offset);
}
template <class Word>
LOCKSTEP_DEVICE void skipahead(std::common_type_t<Word> num_numbers,
                               lockstep::SobolState<Word>* state) {
  lockstep::skip(state, num_numbers);
}
template <class Word>
LOCKSTEP_DEVICE Word curand(lockstep::SobolState<Word>* state) {
  return lockstep::next_word(state);
}
template <class Word>
LOCKSTEP_DEVICE float curand_uniform(lockstep::SobolState<Word>* state) {
  return lockstep::uniform(curand(state));
}
template <class Word>
LOCKSTEP_DEVICE double curand_uniform_double(lockstep::SobolState<Word>* state) {
  return lockstep::uniform_double(curand(state));
}
template <class Word>
LOCKSTEP_DEVICE float curand_normal(lockstep::SobolState<Word>* state) {
  return lockstep::normal_above(curand(state));
}
template <class Word>
LOCKSTEP_DEVICE double curand_normal_double(lockstep::SobolState<Word>* state) {
  return lockstep::normal_above_double(curand(state));
}
template <class Word>
LOCKSTEP_DEVICE float curand_log_normal(lockstep::SobolState<Word>* state, float mean,
                                        float stddev) {
  return expf(mean + stddev * curand_normal(state));
}
template <class Word>
LOCKSTEP_DEVICE double curand_log_normal_double(lockstep::SobolState<Word>* state, double mean,
                                                double stddev) {
  return exp(mean + stddev * curand_normal_double(state));
}
template <class Word>
LOCKSTEP_DEVICE unsigned int curand_poisson(lockstep::SobolState<Word>* state, double mean) {
  return lockstep::poisson_at_most(mean, curand_uniform_double(state));
}

#endif
