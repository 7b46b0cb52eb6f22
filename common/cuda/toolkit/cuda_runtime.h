// SPDX-License-Identifier: MIT
// The CUDA runtime: all that nvcc offers without an include. Compiled by clang's CUDA mode, for the
// device and for the host, and by plain compilers, which see the host's part.
#pragma once

// Programs ask by the names of NVIDIA's include guards which of its headers are there, as NVIDIA's
// own samples do before they define what prints an error.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __HOST_DEFINES_H__
#define __HOST_CONFIG_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_TYPES_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_FUNCTIONS_H__
#define __CHANNEL_DESCRIPTOR_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_TYPES_H__

// CUB and Thrust mark their calls for a profiler where they find NVTX; ours has not what they need.
#define CCCL_DISABLE_NVTX

// memcpy and memset are for kernels, too, and clang expands them as it does the host's.
#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#include <string.h>
#pragma clang force_cuda_host_device end
#endif

// First: overloads for the device have to be there when <cmath> declares the same for the host.
#include "lockstep/device_library.h"
#include "lockstep/math.h"

#ifdef __CUDA_ARCH__
#include "lockstep/c_math.h"
#endif

// Standard headers that nvcc's own headers include, and that programs rely on.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "lockstep/address_space.h"
#include "lockstep/array_api.h"
#include "lockstep/atomic.h"
#include "lockstep/builtins.h"
#include "lockstep/cache_hints.h"
#include "lockstep/capture_api.h"
#include "lockstep/copy_api.h"
#include "lockstep/device_api.h"
#include "lockstep/dpx_intrinsics.h"
#include "lockstep/error.h"
#include "lockstep/event_api.h"
#include "lockstep/float_intrinsics.h"
#include "lockstep/function_api.h"
#include "lockstep/graph_api.h"
#include "lockstep/host_math.h"
#include "lockstep/integer_intrinsics.h"
#include "lockstep/ipc_api.h"
#include "lockstep/kernel_api.h"
#include "lockstep/keywords.h"
#include "lockstep/memory_api.h"
#include "lockstep/nv_atomic.h"
#include "lockstep/pool_api.h"
#include "lockstep/simd_intrinsics.h"
#include "lockstep/stream_api.h"
#include "lockstep/surface_api.h"
#include "lockstep/surface_reads.h"
#include "lockstep/symbol_api.h"
#include "lockstep/sync.h"
#include "lockstep/texture_api.h"
#include "lockstep/texture_reads.h"
#include "lockstep/vector_functions.h"
#include "lockstep/vector_types.h"
#include "lockstep/warp.h"
