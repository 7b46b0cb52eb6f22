// SPDX-License-Identifier: MIT
// The CUDA runtime, as the cpu backend implements it. Holds everything that nvcc offers without an
// include.
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

// Standard headers that nvcc's own headers include, and that programs rely on.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simt/array_api.h"
#include "simt/capture_api.h"
#include "simt/copy_api.h"
#include "simt/device.h"
#include "simt/device_api.h"
#include "simt/dpx_intrinsics.h"
#include "simt/error.h"
#include "simt/event_api.h"
#include "simt/function_api.h"
#include "simt/graph_api.h"
#include "simt/integer_intrinsics.h"
#include "simt/ipc_api.h"
#include "simt/keywords.h"
#include "simt/launch.h"
#include "simt/math.h"
#include "simt/memory_api.h"
#include "simt/nv_atomic.h"
#include "simt/pool_api.h"
#include "simt/rewritten.h"
#include "simt/simd_intrinsics.h"
#include "simt/stream_api.h"
#include "simt/surface_api.h"
#include "simt/symbol_api.h"
#include "simt/texture_api.h"
#include "simt/vector_functions.h"
#include "simt/vector_types.h"
