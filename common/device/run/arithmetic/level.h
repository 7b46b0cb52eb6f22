// SPDX-License-Identifier: MIT
// Every handler is compiled once per level of the processor, and lives in a namespace of its own:
//   portable  SSE2, or any processor that is not an x86-64
//   v3        x86-64-v3: AVX2, FMA
//   v4        x86-64-v4: AVX-512
// kernels.cpp chooses a level once, when the process starts. All levels give the same bits.
//
// A source file of a level must not use a template or an inline function of the standard library:
// the linker keeps one copy of such a function, perhaps the one that an old processor cannot run.
#pragma once

#ifndef LAB_LEVEL
#define LAB_LEVEL portable
#endif

#define LAB_BEGIN_LEVEL       \
  namespace run::arithmetic { \
  namespace LAB_LEVEL {
#define LAB_END_LEVEL \
  }                   \
  }

// A loop over the lanes of a warp. Rows are equal or apart, so no lane depends on another.
#if defined(__clang__)
#define LAB_FOR_LANES(i) \
  _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (int i = 0; i < 32; ++i)
#else
#define LAB_FOR_LANES(i) _Pragma("GCC ivdep") for (int i = 0; i < 32; ++i)
#endif

#define LAB_INLINE [[gnu::always_inline]] static inline
