// SPDX-License-Identifier: MIT
// The device's address spaces.
#pragma once

#include <stddef.h>

#include "lockstep/keywords.h"

#ifdef __CUDA__

#define LOCKSTEP_SPACE(space)                                                 \
  LOCKSTEP_DEVICE size_t __cvta_generic_to_##space(const void* pointer) {     \
    size_t address;                                                           \
    __asm__("cvta.to." #space ".u64 %0, %1;" : "=l"(address) : "l"(pointer)); \
    return address;                                                           \
  }                                                                           \
  LOCKSTEP_DEVICE void* __cvta_##space##_to_generic(size_t address) {         \
    void* pointer;                                                            \
    __asm__("cvta." #space ".u64 %0, %1;" : "=l"(pointer) : "l"(address));    \
    return pointer;                                                           \
  }
LOCKSTEP_SPACE(global)
LOCKSTEP_SPACE(shared)
LOCKSTEP_SPACE(const)
LOCKSTEP_SPACE(local)
#undef LOCKSTEP_SPACE
LOCKSTEP_DEVICE size_t __cvta_generic_to_constant(const void* pointer) {
  return __cvta_generic_to_const(pointer);
}
LOCKSTEP_DEVICE void* __cvta_constant_to_generic(size_t address) {
  return __cvta_const_to_generic(address);
}

LOCKSTEP_DEVICE unsigned int __isGlobal(const void* pointer) {
  return __nvvm_isspacep_global(pointer);
}
LOCKSTEP_DEVICE unsigned int __isShared(const void* pointer) {
  return __nvvm_isspacep_shared(pointer);
}
LOCKSTEP_DEVICE unsigned int __isConstant(const void* pointer) {
  return __nvvm_isspacep_const(pointer);
}
LOCKSTEP_DEVICE unsigned int __isLocal(const void* pointer) {
  return __nvvm_isspacep_local(pointer);
}
LOCKSTEP_DEVICE unsigned int __isGridConstant(const void*) { return 0; }
LOCKSTEP_DEVICE unsigned int __isClusterShared(const void* pointer) {
  return __nvvm_isspacep_shared_cluster(pointer);
}

#endif
