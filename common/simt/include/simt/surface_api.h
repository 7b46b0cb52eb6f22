// SPDX-License-Identifier: MIT
// Surface objects: arrays that kernels read and write. x counts bytes, as in CUDA.
#pragma once

#include "simt/texture_api.h"

enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,   // reads give 0, writes do nothing
  cudaBoundaryModeClamp = 1,  // the nearest element
  cudaBoundaryModeTrap = 2,   // ends the kernel
};

typedef unsigned long long cudaSurfaceObject_t;

// cudaErrorInvalidValue unless the resource is a live array made with cudaArraySurfaceLoadStore.
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object);

namespace simt {

struct SurfacePlace {
  int x;  // in bytes
  int y, z, layer;
  cudaSurfaceBoundaryMode mode;
};

// size_bytes: 1, 2, 4, 8 or 16
void read_surface(cudaSurfaceObject_t object, ImageShape shape, SurfacePlace at, void* value,
                  std::size_t size_bytes);
void write_surface(cudaSurfaceObject_t object, ImageShape shape, SurfacePlace at, const void* value,
                   std::size_t size_bytes);

template <class T>
concept SurfaceValue = std::is_trivially_copyable_v<T> &&
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

}  // namespace simt

#define SIMT_SURFACE_FUNCTIONS(name, parameters, shape, place)                                     \
  template <simt::SurfaceValue T>                                                                  \
  SIMT_INLINE T name##read(cudaSurfaceObject_t object, SIMT_LIST parameters,                       \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    T value;                                                                                       \
    simt::read_surface(object, {SIMT_LIST shape}, {SIMT_LIST place, mode}, &value, sizeof value);  \
    return value;                                                                                  \
  }                                                                                                \
  template <simt::SurfaceValue T>                                                                  \
  SIMT_INLINE void name##read(T* result, cudaSurfaceObject_t object, SIMT_LIST parameters,         \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
    T value;                                                                                       \
    simt::read_surface(object, {SIMT_LIST shape}, {SIMT_LIST place, mode}, &value, sizeof value);  \
    *result = value;                                                                               \
  }                                                                                                \
  template <simt::SurfaceValue T>                                                                  \
  SIMT_INLINE void name##write(T value, cudaSurfaceObject_t object, SIMT_LIST parameters,          \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    simt::write_surface(object, {SIMT_LIST shape}, {SIMT_LIST place, mode}, &value, sizeof value); \
  }
SIMT_SURFACE_FUNCTIONS(surf1D, (int x), (1), (x, 0, 0, 0))
SIMT_SURFACE_FUNCTIONS(surf2D, (int x, int y), (2), (x, y, 0, 0))
SIMT_SURFACE_FUNCTIONS(surf3D, (int x, int y, int z), (3), (x, y, z, 0))
SIMT_SURFACE_FUNCTIONS(surf1DLayered, (int x, int layer), (1, true), (x, 0, 0, layer))
SIMT_SURFACE_FUNCTIONS(surf2DLayered, (int x, int y, int layer), (2, true), (x, y, 0, layer))
// Of a cube map the faces are slices; in layers, six times the layer and the face are one number.
SIMT_SURFACE_FUNCTIONS(surfCubemap, (int x, int y, int face), (2, false, true), (x, y, face, 0))
SIMT_SURFACE_FUNCTIONS(surfCubemapLayered, (int x, int y, int layer_face), (2, true, true),
                       (x, y, 0, layer_face))
#undef SIMT_SURFACE_FUNCTIONS
