// SPDX-License-Identifier: MIT
// The built-in variables. Each component is read from its register where a kernel uses it.
#pragma once

#include "lockstep/keywords.h"
#include "lockstep/vector_types.h"

#ifdef __CUDA__

#define LOCKSTEP_COMPONENT(name, reading)                   \
  __declspec(property(get = get_##name)) unsigned int name; \
  static LOCKSTEP_DEVICE unsigned int get_##name() { return reading; }

// No object but the variable itself: it is neither copied nor assigned, nor has it an address.
#define LOCKSTEP_BUILTIN(Type, register_name, Vector)                 \
  struct Type {                                                       \
    LOCKSTEP_COMPONENT(x, __nvvm_read_ptx_sreg_##register_name##_x()) \
    LOCKSTEP_COMPONENT(y, __nvvm_read_ptx_sreg_##register_name##_y()) \
    LOCKSTEP_COMPONENT(z, __nvvm_read_ptx_sreg_##register_name##_z()) \
    LOCKSTEP_DEVICE operator dim3() const { return dim3(x, y, z); }   \
    LOCKSTEP_DEVICE operator uint3() const { return uint3{x, y, z}; } \
    Type() = delete;                                                  \
    Type(const Type&) = delete;                                       \
    void operator=(const Type&) const = delete;                       \
    Type* operator&() const = delete;                                 \
  };

namespace lockstep {
LOCKSTEP_BUILTIN(ThreadIdx, tid, uint3)
LOCKSTEP_BUILTIN(BlockIdx, ctaid, uint3)
LOCKSTEP_BUILTIN(BlockDim, ntid, dim3)
LOCKSTEP_BUILTIN(GridDim, nctaid, dim3)
}  // namespace lockstep
#undef LOCKSTEP_BUILTIN
#undef LOCKSTEP_COMPONENT

extern const __device__ __attribute__((weak)) lockstep::ThreadIdx threadIdx;
extern const __device__ __attribute__((weak)) lockstep::BlockIdx blockIdx;
extern const __device__ __attribute__((weak)) lockstep::BlockDim blockDim;
extern const __device__ __attribute__((weak)) lockstep::GridDim gridDim;

#endif

inline constexpr int warpSize = 32;
