// SPDX-License-Identifier: MIT
#include "simt/simd_intrinsics.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

namespace {

template <class Part>
constexpr int kBits = 8 * static_cast<int>(sizeof(Part));

// The part of `word` at `bit`, as a number.
template <class Part>
int part_of(unsigned word, int bit) {
  return static_cast<Part>(word >> bit);
}

template <class Part, class Function>
unsigned by_part(unsigned a, unsigned b, Function function) {
  using Bits = std::make_unsigned_t<Part>;
  unsigned result = 0;
  for (int bit = 0; bit < 32; bit += kBits<Part>) {
    const int part = function(part_of<Part>(a, bit), part_of<Part>(b, bit));
    result |= unsigned{static_cast<Bits>(part)} << bit;
  }
  return result;
}

template <class Part, class Function>
unsigned sum_by_part(unsigned a, unsigned b, Function function) {
  unsigned sum = 0;
  for (int bit = 0; bit < 32; bit += kBits<Part>) {
    sum += static_cast<unsigned>(function(part_of<Part>(a, bit), part_of<Part>(b, bit)));
  }
  return sum;
}

template <class Part>
constexpr int kLowest = std::is_signed_v<Part> ? -(1 << (kBits<Part> - 1)) : 0;
template <class Part>
constexpr int kHighest = kLowest<Part> + (1 << kBits<Part>)-1;

}  // namespace

#define SIMT_FUNCTION(Part, result)                          \
  [](int a, [[maybe_unused]] int b) {                        \
    [[maybe_unused]] constexpr int lowest = kLowest<Part>;   \
    [[maybe_unused]] constexpr int highest = kHighest<Part>; \
    return static_cast<int>(result);                         \
  }
#define SIMT_SIMD(name, kind, result)                                    \
  unsigned __v##name##2(unsigned a, unsigned b) {                        \
    return by_part<kind short>(a, b, SIMT_FUNCTION(kind short, result)); \
  }                                                                      \
  unsigned __v##name##4(unsigned a, unsigned b) {                        \
    return by_part<kind char>(a, b, SIMT_FUNCTION(kind char, result));   \
  }
#define SIMT_SIMD_ONE(name, kind, result)                                \
  unsigned __v##name##2(unsigned a) {                                    \
    return by_part<kind short>(a, 0, SIMT_FUNCTION(kind short, result)); \
  }                                                                      \
  unsigned __v##name##4(unsigned a) {                                    \
    return by_part<kind char>(a, 0, SIMT_FUNCTION(kind char, result));   \
  }
#define SIMT_SIMD_SUM(name, kind, result)                                    \
  unsigned __v##name##2(unsigned a, unsigned b) {                            \
    return sum_by_part<kind short>(a, b, SIMT_FUNCTION(kind short, result)); \
  }                                                                          \
  unsigned __v##name##4(unsigned a, unsigned b) {                            \
    return sum_by_part<kind char>(a, b, SIMT_FUNCTION(kind char, result));   \
  }
#include "simt/simd_intrinsics.inc"
