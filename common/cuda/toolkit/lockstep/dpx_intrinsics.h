// SPDX-License-Identifier: MIT
// The functions for dynamic programming (DPX): least and greatest of sums and of three numbers. On
// words (_s32, _u32), or on two halfwords at a time (_s16x2, _u16x2). With _relu no result is below
// 0. Sums wrap around.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/math.h"

#ifdef __CUDA__

namespace lockstep {

// `function` of each Part of the words.
template <class Part, class Word, class Function, class... Words>
LOCKSTEP_DEVICE Word by_part(Function function, Word first, Words... rest) {
  if constexpr (sizeof(Part) == sizeof(Word)) {
    return static_cast<Word>(function(static_cast<Part>(first), static_cast<Part>(rest)...));
  } else {
    const auto low = function(static_cast<Part>(first), static_cast<Part>(rest)...);
    const auto high = function(static_cast<Part>(first >> 16), static_cast<Part>(rest >> 16)...);
    return static_cast<unsigned short>(low) | static_cast<Word>(static_cast<unsigned short>(high))
                                                  << 16;
  }
}
template <class Part>
LOCKSTEP_DEVICE Part wrapped_sum(Part a, Part b) {
  return static_cast<Part>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}
template <class Part>
LOCKSTEP_DEVICE Part least(Part a, Part b) {
  return b < a ? b : a;
}
template <class Part>
LOCKSTEP_DEVICE Part greatest(Part a, Part b) {
  return a < b ? b : a;
}
template <class Part>
LOCKSTEP_DEVICE Part unchanged(Part a) {
  return a;
}
template <class Part>
LOCKSTEP_DEVICE Part at_least_0(Part a) {
  return a < 0 ? Part(0) : a;
}

}  // namespace lockstep

#define LOCKSTEP_DPX_FUNCTION(name, Word, Part, finish, expression)                                \
  LOCKSTEP_DEVICE Word name(Word first, Word second, Word third) {                                 \
    return lockstep::by_part<Part>(                                                                \
        [](Part a, Part b, Part c) LOCKSTEP_LAMBDA { return lockstep::finish<Part>(expression); }, \
        first, second, third);                                                                     \
  }
#define LOCKSTEP_DPX(Word, Part, kind, finish)                                          \
  LOCKSTEP_DPX_FUNCTION(__vimax3_##kind, Word, Part, finish,                            \
                        lockstep::greatest<Part>(lockstep::greatest<Part>(a, b), c))    \
  LOCKSTEP_DPX_FUNCTION(__vimin3_##kind, Word, Part, finish,                            \
                        lockstep::least<Part>(lockstep::least<Part>(a, b), c))          \
  LOCKSTEP_DPX_FUNCTION(__viaddmax_##kind, Word, Part, finish,                          \
                        lockstep::greatest<Part>(lockstep::wrapped_sum<Part>(a, b), c)) \
  LOCKSTEP_DPX_FUNCTION(__viaddmin_##kind, Word, Part, finish,                          \
                        lockstep::least<Part>(lockstep::wrapped_sum<Part>(a, b), c))
#define LOCKSTEP_DPX_RELU(Word, Part, kind)                    \
  LOCKSTEP_DPX(Word, Part, kind##_relu, at_least_0)            \
  LOCKSTEP_DEVICE Word __vimax_##kind##_relu(Word a, Word b) { \
    return __vimax3_##kind##_relu(a, b, b);                    \
  }                                                            \
  LOCKSTEP_DEVICE Word __vimin_##kind##_relu(Word a, Word b) { \
    return __vimin3_##kind##_relu(a, b, b);                    \
  }
LOCKSTEP_DPX(int, int, s32, unchanged)
LOCKSTEP_DPX(unsigned int, unsigned int, u32, unchanged)
LOCKSTEP_DPX(unsigned int, short, s16x2, unchanged)
LOCKSTEP_DPX(unsigned int, unsigned short, u16x2, unchanged)
LOCKSTEP_DPX_RELU(int, int, s32)
LOCKSTEP_DPX_RELU(unsigned int, short, s16x2)
#undef LOCKSTEP_DPX_RELU
#undef LOCKSTEP_DPX
#undef LOCKSTEP_DPX_FUNCTION

// The flags say which of the two it is: true for `a`, also where both are equal.
#define LOCKSTEP_DPX_CHOICES(Part, name, takes_a)                                        \
  LOCKSTEP_DEVICE unsigned int __##name(unsigned int a, unsigned int b, bool* high_is_a, \
                                        bool* low_is_a) {                                \
    *high_is_a = static_cast<Part>(a >> 16) takes_a static_cast<Part>(b >> 16);          \
    *low_is_a = static_cast<Part>(a) takes_a static_cast<Part>(b);                       \
    return ((*high_is_a ? a : b) & 0xffff0000u) | ((*low_is_a ? a : b) & 0xffffu);       \
  }
#define LOCKSTEP_DPX_CHOICE(name, takes_a)                                                  \
  LOCKSTEP_DEVICE int __##name##_s32(int a, int b, bool* is_a) {                            \
    *is_a = a takes_a b;                                                                    \
    return *is_a ? a : b;                                                                   \
  }                                                                                         \
  LOCKSTEP_DEVICE unsigned int __##name##_u32(unsigned int a, unsigned int b, bool* is_a) { \
    *is_a = a takes_a b;                                                                    \
    return *is_a ? a : b;                                                                   \
  }                                                                                         \
  LOCKSTEP_DPX_CHOICES(short, name##_s16x2, takes_a)                                        \
  LOCKSTEP_DPX_CHOICES(unsigned short, name##_u16x2, takes_a)
LOCKSTEP_DPX_CHOICE(vibmax, >=)
LOCKSTEP_DPX_CHOICE(vibmin, <=)
#undef LOCKSTEP_DPX_CHOICE
#undef LOCKSTEP_DPX_CHOICES

#endif
