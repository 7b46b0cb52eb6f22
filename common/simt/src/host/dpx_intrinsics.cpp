// SPDX-License-Identifier: MIT
#include "simt/dpx_intrinsics.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace {

// Not of a std::initializer_list: g++ 14.2 with -O1 takes such functions for functions of nothing,
// and leaves out what is written to the list.
template <class... Rest>
std::int64_t least(std::int64_t first, Rest... rest) {
  ((first = std::min<std::int64_t>(first, rest)), ...);
  return first;
}
template <class... Rest>
std::int64_t greatest(std::int64_t first, Rest... rest) {
  ((first = std::max<std::int64_t>(first, rest)), ...);
  return first;
}

// Of the word's Part at `bit`, with a wrap at the ends of its range.
template <class Part>
std::int64_t number(std::int64_t value, int bit = 0) {
  return static_cast<Part>(value >> bit);
}

// `function` of each Part of the words.
template <class Part, class Word, class Function, class... Words>
Word by_part(Function function, Word first, Words... rest) {
  std::uint32_t result = 0;
  for (int bit = 0; bit < 32; bit += 8 * static_cast<int>(sizeof(Part))) {
    const auto part =
        static_cast<Part>(function(number<Part>(first, bit), number<Part>(rest, bit)...));
    using Bits = std::conditional_t<sizeof(Part) == 4, std::uint32_t, std::uint16_t>;
    result |= std::uint32_t{static_cast<Bits>(part)} << bit;
  }
  return static_cast<Word>(result);
}

}  // namespace

#define SIMT_THREE [](std::int64_t a, std::int64_t b, std::int64_t c)
#define SIMT_DPX(Word, Part, kind, ...)                                                       \
  Word __vimax3_##kind(Word a, Word b, Word c) {                                              \
    return by_part<Part>(                                                                     \
        SIMT_THREE { return greatest(__VA_ARGS__ a, b, c); }, a, b, c);                       \
  }                                                                                           \
  Word __vimin3_##kind(Word a, Word b, Word c) {                                              \
    return by_part<Part>(                                                                     \
        SIMT_THREE { return greatest(__VA_ARGS__ least(a, b, c)); }, a, b, c);                \
  }                                                                                           \
  Word __viaddmax_##kind(Word a, Word b, Word c) {                                            \
    return by_part<Part>(                                                                     \
        SIMT_THREE { return greatest(__VA_ARGS__ number<Part>(a + b), c); }, a, b, c);        \
  }                                                                                           \
  Word __viaddmin_##kind(Word a, Word b, Word c) {                                            \
    return by_part<Part>(                                                                     \
        SIMT_THREE { return greatest(__VA_ARGS__ least(number<Part>(a + b), c)); }, a, b, c); \
  }
#define SIMT_TWO [](std::int64_t a, std::int64_t b)
#define SIMT_DPX_RELU(Word, Part, kind)                       \
  SIMT_DPX(Word, Part, kind##_relu, 0, )                      \
  Word __vimax_##kind##_relu(Word a, Word b) {                \
    return by_part<Part>(                                     \
        SIMT_TWO { return greatest(0, a, b); }, a, b);        \
  }                                                           \
  Word __vimin_##kind##_relu(Word a, Word b) {                \
    return by_part<Part>(                                     \
        SIMT_TWO { return greatest(0, least(a, b)); }, a, b); \
  }
SIMT_DPX(int, std::int32_t, s32)
SIMT_DPX(unsigned, std::uint32_t, u32)
SIMT_DPX(unsigned, std::int16_t, s16x2)
SIMT_DPX(unsigned, std::uint16_t, u16x2)
SIMT_DPX_RELU(int, std::int32_t, s32)
SIMT_DPX_RELU(unsigned, std::int16_t, s16x2)

#define SIMT_DPX_CHOICE(name, choose, takes_a)                  \
  int __##name##_s32(int a, int b, bool* is_a) {                \
    *is_a = a takes_a b;                                        \
    return std::choose(a, b);                                   \
  }                                                             \
  unsigned __##name##_u32(unsigned a, unsigned b, bool* is_a) { \
    *is_a = a takes_a b;                                        \
    return std::choose(a, b);                                   \
  }                                                             \
  SIMT_DPX_CHOICES(std::int16_t, name##_s16x2, choose, takes_a) \
  SIMT_DPX_CHOICES(std::uint16_t, name##_u16x2, choose, takes_a)
#define SIMT_DPX_CHOICES(Part, name, choose, takes_a)                          \
  unsigned __##name(unsigned a, unsigned b, bool* high_is_a, bool* low_is_a) { \
    *high_is_a = number<Part>(a, 16) takes_a number<Part>(b, 16);              \
    *low_is_a = number<Part>(a) takes_a number<Part>(b);                       \
    return by_part<Part>(                                                      \
        SIMT_TWO { return std::choose(a, b); }, a, b);                         \
  }
SIMT_DPX_CHOICE(vibmax, max, >=)
SIMT_DPX_CHOICE(vibmin, min, <=)
