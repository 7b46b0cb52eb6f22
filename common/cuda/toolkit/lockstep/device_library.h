// SPDX-License-Identifier: MIT
// The C and C++ library in kernels: printf, assert, the heap, memory and strings.
#pragma once

#include <stddef.h>

#include "lockstep/keywords.h"
#include "lockstep/machine_calls.h"

#ifdef __CUDA__

// clang packs the arguments and calls vprintf.
extern "C" __attribute__((device)) int printf(const char* format, ...);

// What assert() calls.
extern "C" LOCKSTEP_DEVICE void __assert_fail(const char* message, const char* file,
                                              unsigned int line, const char* function) noexcept {
  __assertfail(message, file, line, function, 1);
}

namespace std {
struct nothrow_t;
enum class align_val_t : size_t;
}  // namespace std

LOCKSTEP_DEVICE void* operator new(size_t, void* place) noexcept { return place; }
LOCKSTEP_DEVICE void* operator new[](size_t, void* place) noexcept { return place; }
LOCKSTEP_DEVICE void operator delete(void*, void*) noexcept {}
LOCKSTEP_DEVICE void operator delete[](void*, void*) noexcept {}
#define LOCKSTEP_NEW(form)                                                                      \
  LOCKSTEP_DEVICE void* operator new form(size_t size_bytes) { return malloc(size_bytes); }     \
  LOCKSTEP_DEVICE void* operator new form(size_t size_bytes, const std::nothrow_t&) noexcept {  \
    return malloc(size_bytes);                                                                  \
  }                                                                                             \
  LOCKSTEP_DEVICE void* operator new form(size_t size_bytes, std::align_val_t alignment) {      \
    return __nv_aligned_device_malloc(size_bytes, static_cast<size_t>(alignment));              \
  }                                                                                             \
  LOCKSTEP_DEVICE void operator delete form(void* pointer) noexcept { free(pointer); }          \
  LOCKSTEP_DEVICE void operator delete form(void* pointer, size_t) noexcept { free(pointer); }  \
  LOCKSTEP_DEVICE void operator delete form(void* pointer, std::align_val_t) noexcept {         \
    free(pointer);                                                                              \
  }                                                                                             \
  LOCKSTEP_DEVICE void operator delete form(void* pointer, size_t, std::align_val_t) noexcept { \
    free(pointer);                                                                              \
  }
LOCKSTEP_NEW()
LOCKSTEP_NEW([])
#undef LOCKSTEP_NEW

#endif
