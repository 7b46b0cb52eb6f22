// SPDX-License-Identifier: MIT
// Arrays: device memory whose layout the program does not know. Kernels read and write them
// through textures and surfaces, and the host copies to and from them.
#pragma once

#include <cstddef>

#include "lockstep/channel_format.h"
#include "lockstep/copy_api.h"

#define cudaArrayDefault 0x00u
#define cudaArrayLayered 0x01u
#define cudaArraySurfaceLoadStore 0x02u
#define cudaArrayCubemap 0x04u
#define cudaArrayTextureGather 0x08u

// Extents are in elements. A height of 0 makes the array one-dimensional, a depth of 0
// two-dimensional; with cudaArrayLayered the depth counts layers. A cube map has as many rows as
// columns and a depth of 6, times the layers. New arrays hold poison.
//   cudaErrorInvalidValue              no width; a cube map of another shape; extents that exceed
//                                      the device's limits
//   cudaErrorInvalidChannelDescriptor  not one, two or four channels of 8, 16 or 32 bits
LOCKSTEP_API cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                                         std::size_t width, std::size_t height = 0,
                                         unsigned int flags = 0);
LOCKSTEP_API cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                                           cudaExtent extent, unsigned int flags = 0);
LOCKSTEP_API cudaError_t cudaFreeArray(cudaArray_t array);  // null is fine
LOCKSTEP_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent,
                                          unsigned int* flags, cudaArray_t array);
LOCKSTEP_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array);

struct cudaMipmappedArray;
typedef cudaMipmappedArray* cudaMipmappedArray_t;
typedef const cudaMipmappedArray* cudaMipmappedArray_const_t;

// The device has no mipmapped arrays: a program that calls one of these does not compile.
#define LOCKSTEP_NO_MIPMAPS \
  __attribute__((error("the device has no mipmapped arrays: make an array of each level")))
LOCKSTEP_NO_MIPMAPS cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                                         const cudaChannelFormatDesc* format,
                                                         cudaExtent extent, unsigned int num_levels,
                                                         unsigned int flags = 0);
LOCKSTEP_NO_MIPMAPS cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array,
                                                           cudaMipmappedArray_const_t mipmapped,
                                                           unsigned int level);
LOCKSTEP_NO_MIPMAPS cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
#undef LOCKSTEP_NO_MIPMAPS

// `height` rows of width_bytes; the offset in the array is in bytes and rows.
LOCKSTEP_API cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, std::size_t offset_bytes,
                                             std::size_t offset_rows, const void* source,
                                             std::size_t pitch, std::size_t width_bytes,
                                             std::size_t height, cudaMemcpyKind kind);
LOCKSTEP_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, std::size_t offset_bytes,
                                                  std::size_t offset_rows, const void* source,
                                                  std::size_t pitch, std::size_t width_bytes,
                                                  std::size_t height, cudaMemcpyKind kind,
                                                  cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaMemcpy2DFromArray(void* destination, std::size_t pitch,
                                               cudaArray_const_t source, std::size_t offset_bytes,
                                               std::size_t offset_rows, std::size_t width_bytes,
                                               std::size_t height, cudaMemcpyKind kind);
LOCKSTEP_API cudaError_t cudaMemcpy2DFromArrayAsync(
    void* destination, std::size_t pitch, cudaArray_const_t source, std::size_t offset_bytes,
    std::size_t offset_rows, std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind,
    cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t destination, std::size_t destination_bytes, std::size_t destination_rows,
    cudaArray_const_t source, std::size_t source_bytes, std::size_t source_rows,
    std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);

// size_bytes in one go, row by row from the offset on (deprecated in CUDA, and much used).
LOCKSTEP_API cudaError_t cudaMemcpyToArray(cudaArray_t destination, std::size_t offset_bytes,
                                           std::size_t offset_rows, const void* source,
                                           std::size_t size_bytes, cudaMemcpyKind kind);
LOCKSTEP_API cudaError_t cudaMemcpyFromArray(void* destination, cudaArray_const_t source,
                                             std::size_t offset_bytes, std::size_t offset_rows,
                                             std::size_t size_bytes, cudaMemcpyKind kind);
