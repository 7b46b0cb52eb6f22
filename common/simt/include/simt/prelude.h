// SPDX-License-Identifier: MIT
// What nvcc includes by itself: the compile step includes it before a rung's first line.
#include <bits/c++config.h>

namespace simt {

// A function with `...` begins to read its arguments. In a worker it ends a kernel: what the caller
// reads to pass a class there, no hook announces.
void enter_variadic();

}  // namespace simt

// <cstdarg> and the C++ library use it by this name.
#define __builtin_va_start(list, last) (simt::enter_variadic(), __builtin_va_start(list, last))

// By these names g++ expands a copy in place, where no hook announces it, also in std::copy and
// std::fill. The library's functions stay calls, and are checked (see simt_renamed_calls in
// WorkerSteps.cmake).
#include <string.h>

#include "simt/copy_registers.h"
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset
#define __builtin___memcpy_chk(to, from, size_bytes, room) memcpy(to, from, size_bytes)
#define __builtin___memmove_chk(to, from, size_bytes, room) memmove(to, from, size_bytes)
#define __builtin___memset_chk(to, value, size_bytes, room) memset(to, value, size_bytes)

// Without std::riemann_zeta and the like, for which g++ instantiates a hundred functions in each
// text that sees <cmath>: nearly half of an empty rung's time. A text's own #include <cmath> adds
// them.
#define SIMT_IN_PRELUDE
#undef _GLIBCXX_USE_STD_SPEC_FUNCS

#include <cstring>

#include "cuda_runtime.h"
#undef SIMT_IN_PRELUDE
