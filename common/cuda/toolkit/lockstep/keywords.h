// SPDX-License-Identifier: MIT
// CUDA's execution and memory space keywords, for clang's two passes and for a plain host compiler.
//
// clang's CUDA mode defines __CUDA__ in both passes, and __CUDA_ARCH__ in the device's alone. A
// plain compiler sees the host's API, and functions that work on both sides as functions of the
// host.
#pragma once

// For files that want to know: only this toolkit defines it.
#define __LOCKSTEP__ 1

#ifdef __CUDA__

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#ifdef __OPTIMIZE__
#define __grid_constant__ __attribute__((grid_constant))
#else  // clang 22 crashes on it at -O0
#define __grid_constant__
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// clang 22 has the attribute and forgets it for NVPTX, so the kernel's name says it to the device.
#define __cluster_dims__(...) LOCKSTEP_CLUSTER(__VA_ARGS__, 1, 1, 1)
#define LOCKSTEP_CLUSTER(x, y, z, ...) LOCKSTEP_CLUSTER_TAG(x, y, z)
#define LOCKSTEP_CLUSTER_TAG(x, y, z) \
  __attribute__((abi_tag("lockstep_cluster_" #x "_" #y "_" #z "_")))
#define __maxnreg__(...)
// Each variable has pages of its own. In the device's pass its alignment tells the device that it
// is a managed one; clang lacks such an attribute. In the host's pass the variable that stands for
// it lies in this section. The runtime maps the device's memory there, with its initial values.
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device, aligned(65536)))
#else
#define __managed__ __attribute__((device, aligned(65536), section("lockstep_managed")))
#endif
// __noinline__ is a keyword of clang's CUDA mode.

#else

#define __host__
#define __device__

#endif

#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define CUDART_CB
#define CUDARTAPI

// A function of the host that the runtime implements.
#define LOCKSTEP_API extern "C"

// Our own small functions. Without debug information of their own, their instructions belong to the
// line that calls them: findings and counters name the student's line.
#ifdef __CUDA__
#define LOCKSTEP_INLINE __attribute__((host, device)) inline __attribute__((always_inline, nodebug))
#define LOCKSTEP_DEVICE __attribute__((device)) inline __attribute__((always_inline, nodebug))
#define LOCKSTEP_HOST inline __attribute__((always_inline, nodebug))
#define LOCKSTEP_LAMBDA __attribute__((always_inline, nodebug))
#else
#define LOCKSTEP_INLINE inline __attribute__((always_inline))
#define LOCKSTEP_HOST inline __attribute__((always_inline))
#endif
