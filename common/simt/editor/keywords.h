// SPDX-License-Identifier: MIT
// CUDA's keywords for clang's CUDA mode. The editor finds this file before the emulator's of the
// same name: clang then knows kernels and launches, and warns about host code that calls device
// code.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __LOCKSTEP_SIMT__ 1

#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define CUDART_CB
#define CUDARTAPI
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#if __clang_major__ < 15  // later ones know it as a keyword
#define __noinline__      // libstdc++ writes it inside attributes, where nothing may stand
#endif

#define SIMT_INLINE inline __attribute__((always_inline))
#define SIMT_UNTRACED
