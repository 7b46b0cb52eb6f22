// SPDX-License-Identifier: MIT
// Surface objects: arrays that kernels read and write. x counts bytes, as in CUDA.
#pragma once

#include "lockstep/texture_api.h"

enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,   // reads give 0, writes do nothing
  cudaBoundaryModeClamp = 1,  // the nearest element
  cudaBoundaryModeTrap = 2,   // ends the kernel
};

typedef unsigned long long cudaSurfaceObject_t;

// cudaErrorInvalidValue unless the resource is a live array made with cudaArraySurfaceLoadStore.
LOCKSTEP_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object,
                                                 const cudaResourceDesc* resource);
LOCKSTEP_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
LOCKSTEP_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                                          cudaSurfaceObject_t object);
