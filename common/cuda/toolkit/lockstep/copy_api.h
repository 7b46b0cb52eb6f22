// SPDX-License-Identifier: MIT
// Copying and filling memory. Every pointer is looked up in the book of allocations: the wrong
// direction, a dead allocation, and a copy past an allocation's end are cudaErrorInvalidValue. The
// Async forms are complete when they return.
#pragma once

#include <cstddef>

#include "lockstep/memory_api.h"

// A fill whose last two numbers are exchanged.
#ifdef __clang__
#define LOCKSTEP_FILLS_SOMETHING                                                         \
  __attribute__((diagnose_if(                                                            \
      size_bytes == 0,                                                                   \
      "this fills nothing, as its size is 0: the value of a byte comes before the size", \
      "warning")))
#else
#define LOCKSTEP_FILLS_SOMETHING
#endif

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

LOCKSTEP_API cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t size_bytes,
                                    cudaMemcpyKind kind);
LOCKSTEP_API cudaError_t cudaMemcpyAsync(void* destination, const void* source,
                                         std::size_t size_bytes, cudaMemcpyKind kind,
                                         cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaMemcpyPeer(void* destination, int destination_device,
                                        const void* source, int source_device,
                                        std::size_t size_bytes);
LOCKSTEP_API cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device,
                                             const void* source, int source_device,
                                             std::size_t size_bytes, cudaStream_t stream = nullptr);

// `height` rows of width_bytes. cudaErrorInvalidPitchValue if a pitch is smaller than a row.
LOCKSTEP_API cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch,
                                      const void* source, std::size_t source_pitch,
                                      std::size_t width_bytes, std::size_t height,
                                      cudaMemcpyKind kind);
LOCKSTEP_API cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch,
                                           const void* source, std::size_t source_pitch,
                                           std::size_t width_bytes, std::size_t height,
                                           cudaMemcpyKind kind, cudaStream_t stream = nullptr);

LOCKSTEP_API cudaError_t cudaMemset(void* pointer, int byte_value,
                                    std::size_t size_bytes) LOCKSTEP_FILLS_SOMETHING;
LOCKSTEP_API cudaError_t cudaMemsetAsync(void* pointer, int byte_value, std::size_t size_bytes,
                                         cudaStream_t stream = nullptr) LOCKSTEP_FILLS_SOMETHING;
LOCKSTEP_API cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int byte_value,
                                      std::size_t width_bytes, std::size_t height);
LOCKSTEP_API cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int byte_value,
                                           std::size_t width_bytes, std::size_t height,
                                           cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int byte_value, cudaExtent extent);

struct cudaPos {
  std::size_t x, y, z;  // x in bytes
};
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) { return {x, y, z}; }

struct cudaArray;
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;

// Where an array takes part, the extent's width is in elements, and so is x of its position.
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
LOCKSTEP_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
LOCKSTEP_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters,
                                           cudaStream_t stream = nullptr);
