// SPDX-License-Identifier: MIT
// Functions that kernels call and that the machine answers: no PTX defines them.
#pragma once

#include <stddef.h>

#include "lockstep/keywords.h"

#ifdef __CUDA__

// Mathematics: pure functions of values, rounded as well as the machine can.
#define LOCKSTEP_CALL __attribute__((device, const, nothrow))
#define LOCKSTEP_UNARY(name)                                       \
  LOCKSTEP_CALL double __lockstep_##name(double x) __asm__(#name); \
  LOCKSTEP_CALL float __lockstep_##name##f(float x) __asm__(#name "f");
#define LOCKSTEP_BINARY(name)                                                \
  LOCKSTEP_CALL double __lockstep_##name(double x, double y) __asm__(#name); \
  LOCKSTEP_CALL float __lockstep_##name##f(float x, float y) __asm__(#name "f");
extern "C" {
#include "lockstep/math_calls.inc"
LOCKSTEP_CALL double __lockstep_norm3d(double x, double y, double z) __asm__("norm3d");
LOCKSTEP_CALL float __lockstep_norm3df(float x, float y, float z) __asm__("norm3df");
LOCKSTEP_CALL double __lockstep_norm4d(double x, double y, double z, double w) __asm__("norm4d");
LOCKSTEP_CALL float __lockstep_norm4df(float x, float y, float z, float w) __asm__("norm4df");
LOCKSTEP_CALL double __lockstep_ldexp(double x, int exponent) __asm__("ldexp");
LOCKSTEP_CALL float __lockstep_ldexpf(float x, int exponent) __asm__("ldexpf");
LOCKSTEP_CALL double __lockstep_jn(int n, double x) __asm__("jn");
LOCKSTEP_CALL float __lockstep_jnf(int n, float x) __asm__("jnf");
LOCKSTEP_CALL double __lockstep_yn(int n, double x) __asm__("yn");
LOCKSTEP_CALL float __lockstep_ynf(int n, float x) __asm__("ynf");

// The device's heap; null where it is used up. Freeing what malloc did not give is a finding.
__attribute__((device, nothrow)) void* malloc(size_t size_bytes);
__attribute__((device, nothrow)) void* __nv_aligned_device_malloc(size_t size_bytes,
                                                                  size_t alignment);
__attribute__((device, nothrow)) void free(void* pointer);

// `arguments` points to the values, each aligned to its size, as CUDA's own vprintf has them.
__attribute__((device)) int vprintf(const char* format, const char* arguments);
__attribute__((device)) void __assertfail(const char* message, const char* file, unsigned int line,
                                          const char* function, size_t char_size);

// By these clang makes kernels launch kernels; see kernel_api.h.
__attribute__((device)) int __lockstep_last_error(int forget);

// cooperative_groups: waits until all threads of all blocks of the grid are here.
__attribute__((device, convergent)) void __lockstep_grid_sync();
// A tile of num_warps warps: number `rank` of those of its size in the block. Waits for num_threads
// threads, and orders memory as a barrier of the block does.
__attribute__((device, convergent)) void __lockstep_tile_sync(unsigned int num_warps,
                                                              unsigned int rank,
                                                              unsigned int num_threads);
// Eight words for each warp of the block, in memory that is neither checked nor counted.
__attribute__((device)) void __lockstep_tile_put(unsigned int warp, unsigned int index,
                                                 unsigned int word);
__attribute__((device)) unsigned int __lockstep_tile_get(unsigned int warp, unsigned int index);
// 1 in a kernel that was launched cooperatively.
LOCKSTEP_CALL unsigned int __lockstep_is_cooperative();

// curand: XORWOW's five words, and the three numbers of each of MRG32k3a's recurrences, after
// steps * 2^log2_stride more steps.
__attribute__((device, nothrow)) void __lockstep_skip_xorwow(unsigned int* words,
                                                             unsigned long long steps,
                                                             int log2_stride);
__attribute__((device, nothrow)) void __lockstep_skip_mrg(unsigned int* first, unsigned int* second,
                                                          unsigned long long steps,
                                                          int log2_stride);
}
#undef LOCKSTEP_UNARY
#undef LOCKSTEP_BINARY
#undef LOCKSTEP_CALL

#endif
