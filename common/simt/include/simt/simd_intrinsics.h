// SPDX-License-Identifier: MIT
// Arithmetic on two halfwords (__vadd2) or four bytes (__vadd4) at a time; simd_intrinsics.inc
// lists it.
#pragma once

#define SIMT_SIMD(name, kind, result)            \
  unsigned __v##name##2(unsigned a, unsigned b); \
  unsigned __v##name##4(unsigned a, unsigned b);
#define SIMT_SIMD_ONE(name, kind, result) \
  unsigned __v##name##2(unsigned a);      \
  unsigned __v##name##4(unsigned a);
#define SIMT_SIMD_SUM(name, kind, result) SIMT_SIMD(name, kind, result)
#include "simt/simd_intrinsics.inc"
