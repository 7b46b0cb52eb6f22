// SPDX-License-Identifier: MIT
// make_float4(x, y, z, w) and similar functions.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/vector_types.h"

#define LOCKSTEP_MAKE_VECTORS(name, component)                                                  \
  constexpr LOCKSTEP_INLINE name##1 make_##name##1(component x) { return {x}; }                 \
  constexpr LOCKSTEP_INLINE name##2 make_##name##2(component x, component y) { return {x, y}; } \
  constexpr LOCKSTEP_INLINE name##3 make_##name##3(component x, component y, component z) {     \
    return {x, y, z};                                                                           \
  }                                                                                             \
  constexpr LOCKSTEP_INLINE name##4 make_##name##4(component x, component y, component z,       \
                                                   component w) {                               \
    return {x, y, z, w};                                                                        \
  }

LOCKSTEP_MAKE_VECTORS(char, signed char)
LOCKSTEP_MAKE_VECTORS(uchar, unsigned char)
LOCKSTEP_MAKE_VECTORS(short, short)
LOCKSTEP_MAKE_VECTORS(ushort, unsigned short)
LOCKSTEP_MAKE_VECTORS(int, int)
LOCKSTEP_MAKE_VECTORS(uint, unsigned int)
LOCKSTEP_MAKE_VECTORS(long, long)
LOCKSTEP_MAKE_VECTORS(ulong, unsigned long)
LOCKSTEP_MAKE_VECTORS(longlong, long long)
LOCKSTEP_MAKE_VECTORS(ulonglong, unsigned long long)
LOCKSTEP_MAKE_VECTORS(float, float)
LOCKSTEP_MAKE_VECTORS(double, double)
#undef LOCKSTEP_MAKE_VECTORS
