// SPDX-License-Identifier: MIT
// make_float4(x, y, z, w) and similar functions.
#pragma once

#include "simt/keywords.h"
#include "simt/vector_types.h"

#define SIMT_MAKE_VECTORS(name, component)                                                  \
  constexpr SIMT_INLINE name##1 make_##name##1(component x) { return {x}; }                 \
  constexpr SIMT_INLINE name##2 make_##name##2(component x, component y) { return {x, y}; } \
  constexpr SIMT_INLINE name##3 make_##name##3(component x, component y, component z) {     \
    return {x, y, z};                                                                       \
  }                                                                                         \
  constexpr SIMT_INLINE name##4 make_##name##4(component x, component y, component z,       \
                                               component w) {                               \
    return {x, y, z, w};                                                                    \
  }

SIMT_MAKE_VECTORS(char, signed char)
SIMT_MAKE_VECTORS(uchar, unsigned char)
SIMT_MAKE_VECTORS(short, short)
SIMT_MAKE_VECTORS(ushort, unsigned short)
SIMT_MAKE_VECTORS(int, int)
SIMT_MAKE_VECTORS(uint, unsigned int)
SIMT_MAKE_VECTORS(long, long)
SIMT_MAKE_VECTORS(ulong, unsigned long)
SIMT_MAKE_VECTORS(longlong, long long)
SIMT_MAKE_VECTORS(ulonglong, unsigned long long)
SIMT_MAKE_VECTORS(float, float)
SIMT_MAKE_VECTORS(double, double)
#undef SIMT_MAKE_VECTORS
