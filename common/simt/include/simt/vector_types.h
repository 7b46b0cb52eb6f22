// SPDX-License-Identifier: MIT
// CUDA's built-in vector types, with CUDA's alignments: what makes a float4 one 16-byte access.
#pragma once

#include <cstddef>

#include "simt/keywords.h"

// SIMT_VECTOR_TYPES(name, component, align2, align4): name1 ... name4 of `component`. One- and
// three-component vectors have their component's alignment, as on a device.
#define SIMT_VECTOR_TYPES(name, component, align2, align4) \
  struct name##1 {                                         \
    component x;                                           \
  };                                                       \
  struct alignas(align2) name##2 {                         \
    component x, y;                                        \
  };                                                       \
  struct name##3 {                                         \
    component x, y, z;                                     \
  };                                                       \
  struct alignas(align4) name##4 {                         \
    component x, y, z, w;                                  \
  };

SIMT_VECTOR_TYPES(char, signed char, 2, 4)
SIMT_VECTOR_TYPES(uchar, unsigned char, 2, 4)
SIMT_VECTOR_TYPES(short, short, 4, 8)
SIMT_VECTOR_TYPES(ushort, unsigned short, 4, 8)
SIMT_VECTOR_TYPES(int, int, 8, 16)
SIMT_VECTOR_TYPES(uint, unsigned int, 8, 16)
SIMT_VECTOR_TYPES(long, long, 16, 16)
SIMT_VECTOR_TYPES(ulong, unsigned long, 16, 16)
SIMT_VECTOR_TYPES(longlong, long long, 16, 16)
SIMT_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
SIMT_VECTOR_TYPES(float, float, 8, 16)
SIMT_VECTOR_TYPES(double, double, 16, 16)
#undef SIMT_VECTOR_TYPES

// Extents of a grid or a block; what is not given is 1. Converts from a number, so that
// kernel<<<num_blocks, 256>>> works, and to and from uint3.
struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
