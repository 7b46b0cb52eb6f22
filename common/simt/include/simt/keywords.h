// SPDX-License-Identifier: MIT
// CUDA's execution and memory space keywords, as plain C++.
//
// Host and device share one address space and one compilation here, so most keywords mean nothing.
// The exception is __shared__: one variable for each block. It becomes thread_local (and so static
// inside functions); the scheduler saves and restores the thread's TLS image when it switches
// blocks. Its tag becomes a part of the symbol's name, by which gather.ld knows it.
#pragma once

#include "simt/standard17.h"

#ifndef __CUDA__  // clang's CUDA mode, in an editor, has its own: editor/keywords.h

// One pass compiles what nvcc compiles twice. Both macros are defined, at the presented compute
// capability, because of how real files use them: `#if __CUDA_ARCH__ < 600` around a hand-written
// atomicAdd(double*) and `#if __CUDA_ARCH__ >= 700` around a kernel's body both need a modern
// device, and `#ifdef __CUDACC__` hides device code from plain host compilers.
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1

// For files that want to know: only this emulator defines it.
#define __LOCKSTEP_SIMT__ 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ __attribute__((abi_tag("shared"))) thread_local
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define CUDART_CB
#define CUDARTAPI
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
// The rewriter puts __noinline__ into C++.

// For our own small functions that device code calls by value (make_float4, __popc, half
// operators). Inlined always, so that the hooks see neither a call
// nor accesses that CUDA would not have.
#define SIMT_INLINE inline __attribute__((always_inline))

// For the glue between a launch and the kernel's body: runs in the student's translation unit but
// is not the student's code, so it must be invisible to the access and basic-block hooks.
#if __GNUC__ >= 12
#define SIMT_UNTRACED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#else  // g++ 11 announces its basic blocks: steps that belong to no line of the student's
#define SIMT_UNTRACED __attribute__((no_sanitize("thread")))
#endif

#endif  // __CUDA__
