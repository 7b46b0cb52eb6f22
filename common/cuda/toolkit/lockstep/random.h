// SPDX-License-Identifier: MIT
// Random numbers. The generators are made from their papers; seeds and subsequences are mapped to
// their states as cuRAND maps them, so that programs get the numbers that they get on a GPU.
//   XORWOW          G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14), 2003
//   Philox 4x32-10  Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11
//   MRG32k3a        P. L'Ecuyer, "Good parameters and implementations for combined multiple
//                   recursive random number generators", Operations Research 47(1), 1999
#pragma once

#include <cstdint>

#include "lockstep/keywords.h"
#include "lockstep/machine_calls.h"
#include "lockstep/vector_types.h"

namespace lockstep {

// Advances the five words of an XORWOW state by steps * 2^log2_stride. log2_stride <= 67
void skip_xorwow(std::uint32_t (&words)[5], std::uint64_t steps, int log2_stride);
#ifdef __CUDA__
LOCKSTEP_DEVICE void skip_xorwow(std::uint32_t (&words)[5], std::uint64_t steps, int log2_stride) {
  std::uint32_t own[5];  // so that the state's own words are accessed here, and checked
  for (int i = 0; i < 5; ++i) own[i] = words[i];
  __lockstep_skip_xorwow(own, steps, log2_stride);
  for (int i = 0; i < 5; ++i) words[i] = own[i];
}
#endif

inline constexpr std::uint32_t kWeylStep = 362437;
inline constexpr int kXorwowSubsequence = 67;  // log2 of the distance between subsequences

// The state's words for a seed: those of the paper, mixed with the halves of the seed.
struct XorwowState {
  std::uint32_t weyl;
  std::uint32_t words[5];
};
LOCKSTEP_INLINE XorwowState seed_xorwow(std::uint64_t seed) {
  const std::uint32_t low = 1099087573U * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49U);
  const std::uint32_t high = 2591861531U * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddU);
  return {
      6615241U + low + high,
      {123456789U + low, 362436069U ^ low, 521288629U + high, 88675123U ^ high, 5783321U + low}};
}

// The four words that follow from a counter and a key.
LOCKSTEP_INLINE uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = std::uint64_t{0xD2511F53U} * counter.x;
    const std::uint64_t odd = std::uint64_t{0xCD9E8D57U} * counter.z;
    counter = {static_cast<std::uint32_t>(odd >> 32) ^ counter.y ^ key.x,
               static_cast<std::uint32_t>(odd),
               static_cast<std::uint32_t>(even >> 32) ^ counter.w ^ key.y,
               static_cast<std::uint32_t>(even)};
    key.x += 0x9E3779B9U;  // the golden ratio
    key.y += 0xBB67AE85U;  // the square root of 3, less 1
  }
  return counter;
}

// counter + steps * 2^64 + offset, as a number of 128 bits
LOCKSTEP_INLINE uint4 advanced(uint4 counter, std::uint64_t steps, std::uint64_t offset) {
  const std::uint64_t low = std::uint64_t{counter.y} << 32 | counter.x;
  std::uint64_t high = std::uint64_t{counter.w} << 32 | counter.z;
  const std::uint64_t sum = low + offset;
  high += steps + (sum < low ? 1 : 0);
  return {static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(sum >> 32),
          static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)};
}

// MRG32k3a has two recurrences; each remembers three numbers, the oldest first.
inline constexpr std::uint64_t kMrgModulus[] = {4294967087, 4294944443};
inline constexpr std::uint32_t kMrgStart = 12345;
inline constexpr int kMrgSubsequence = 76;  // log2 of the distance between subsequences ...
inline constexpr int kMrgSequence = 127;    // ... and between sequences of these

LOCKSTEP_INLINE std::uint32_t next_mrg_first(std::uint32_t third_last, std::uint32_t second_last) {
  constexpr std::uint64_t kModulus = kMrgModulus[0];
  return static_cast<std::uint32_t>(
      (1403580 * std::uint64_t{second_last} + 810728 * (kModulus - third_last)) % kModulus);
}
LOCKSTEP_INLINE std::uint32_t next_mrg_second(std::uint32_t third_last, std::uint32_t last) {
  constexpr std::uint64_t kModulus = kMrgModulus[1];
  return static_cast<std::uint32_t>(
      (527612 * std::uint64_t{last} + 1370589 * (kModulus - third_last)) % kModulus);
}
// The generator's number, from 1 to the first modulus.
LOCKSTEP_INLINE std::uint32_t mrg_number(std::uint32_t first, std::uint32_t second) {
  const std::uint64_t wrap = first > second ? 0 : kMrgModulus[0];
  return static_cast<std::uint32_t>(wrap + first - second);
}

// Advances both recurrences by steps * 2^log2_stride. log2_stride <= kMrgSequence
void skip_mrg(std::uint32_t (&first)[3], std::uint32_t (&second)[3], std::uint64_t steps,
              int log2_stride);
#ifdef __CUDA__
LOCKSTEP_DEVICE void skip_mrg(std::uint32_t (&first)[3], std::uint32_t (&second)[3],
                              std::uint64_t steps, int log2_stride) {
  std::uint32_t own[2][3];
  for (int i = 0; i < 3; ++i) own[0][i] = first[i], own[1][i] = second[i];
  __lockstep_skip_mrg(own[0], own[1], steps, log2_stride);
  for (int i = 0; i < 3; ++i) first[i] = own[0][i], second[i] = own[1][i];
}
#endif

}  // namespace lockstep
