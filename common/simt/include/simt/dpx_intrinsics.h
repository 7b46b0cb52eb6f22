// SPDX-License-Identifier: MIT
// The functions for dynamic programming (DPX): least and greatest of sums and of three numbers. On
// words
// (_s32, _u32), or on two halfwords at a time (_s16x2, _u16x2). With _relu no result is below 0.
#pragma once

#define SIMT_DPX(Word, kind)                                  \
  Word __vimax3_##kind(Word a, Word b, Word c);               \
  Word __vimin3_##kind(Word a, Word b, Word c);               \
  Word __viaddmax_##kind(Word a, Word b, Word c); /* a + b */ \
  Word __viaddmin_##kind(Word a, Word b, Word c);
#define SIMT_DPX_RELU(Word, kind)             \
  Word __vimax_##kind##_relu(Word a, Word b); \
  Word __vimin_##kind##_relu(Word a, Word b); \
  SIMT_DPX(Word, kind##_relu)
SIMT_DPX(int, s32)
SIMT_DPX(unsigned, u32)
SIMT_DPX(unsigned, s16x2)
SIMT_DPX(unsigned, u16x2)
SIMT_DPX_RELU(int, s32)
SIMT_DPX_RELU(unsigned, s16x2)
#undef SIMT_DPX_RELU
#undef SIMT_DPX

// The flags say which of the two it is: true for `a`, also where both are equal.
#define SIMT_DPX_CHOICE(name)                                                         \
  int __##name##_s32(int a, int b, bool* is_a);                                       \
  unsigned __##name##_u32(unsigned a, unsigned b, bool* is_a);                        \
  unsigned __##name##_s16x2(unsigned a, unsigned b, bool* high_is_a, bool* low_is_a); \
  unsigned __##name##_u16x2(unsigned a, unsigned b, bool* high_is_a, bool* low_is_a);
SIMT_DPX_CHOICE(vibmax)
SIMT_DPX_CHOICE(vibmin)
#undef SIMT_DPX_CHOICE
