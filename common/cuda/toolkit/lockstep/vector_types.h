// SPDX-License-Identifier: MIT
// CUDA's built-in vector types, with CUDA's alignments: what makes a float4 one 16-byte access.
#pragma once

#include <stddef.h>

#include "lockstep/keywords.h"

// Through a reference, an assignment takes the type's alignment, also where an array is declared
// with less. This is for sources that are not const: the copy assignment, which has to be trivial,
// serves all others, such as copies of a class or union with such a member.
#ifdef __CUDA_ARCH__
#define LOCKSTEP_ASSIGNMENT(Type)                                                      \
  Type& operator=(const Type&) = default;                                              \
  template <class = void>                                                              \
  __attribute__((host, device, always_inline, nodebug)) Type& operator=(Type& other) { \
    return *this = static_cast<const Type&>(other);                                    \
  }
#else
#define LOCKSTEP_ASSIGNMENT(Type)
#endif

// LOCKSTEP_VECTORS(name, component, align2, align4): name1 ... name4 of
// `component`. One- and three-component vectors have their component's alignment, as on a device.
#define LOCKSTEP_VECTORS(name, component, align2, align4) \
  struct name##1 {                                        \
    component x;                                          \
  };                                                      \
  struct alignas(align2) name##2 {                        \
    component x, y;                                       \
    LOCKSTEP_ASSIGNMENT(name##2)                          \
  };                                                      \
  struct name##3 {                                        \
    component x, y, z;                                    \
  };                                                      \
  struct alignas(align4) name##4 {                        \
    component x, y, z, w;                                 \
    LOCKSTEP_ASSIGNMENT(name##4)                          \
  };

LOCKSTEP_VECTORS(char, signed char, 2, 4)
LOCKSTEP_VECTORS(uchar, unsigned char, 2, 4)
LOCKSTEP_VECTORS(short, short, 4, 8)
LOCKSTEP_VECTORS(ushort, unsigned short, 4, 8)
LOCKSTEP_VECTORS(int, int, 8, 16)
LOCKSTEP_VECTORS(uint, unsigned int, 8, 16)
LOCKSTEP_VECTORS(long, long, 16, 16)
LOCKSTEP_VECTORS(ulong, unsigned long, 16, 16)
LOCKSTEP_VECTORS(longlong, long long, 16, 16)
LOCKSTEP_VECTORS(ulonglong, unsigned long long, 16, 16)
LOCKSTEP_VECTORS(float, float, 8, 16)
LOCKSTEP_VECTORS(double, double, 16, 16)
#undef LOCKSTEP_VECTORS
#undef LOCKSTEP_ASSIGNMENT

// Extents of a grid or a block; what is not given is 1. Converts from a number, so that
// kernel<<<num_blocks, 256>>> works, and to and from uint3.
struct dim3 {
  unsigned int x, y, z;
  constexpr LOCKSTEP_INLINE dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  constexpr LOCKSTEP_INLINE dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr LOCKSTEP_INLINE operator uint3() const { return {x, y, z}; }
};
