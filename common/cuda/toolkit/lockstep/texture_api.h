// SPDX-License-Identifier: MIT
// Texture objects: how the host makes them, and how kernels read through them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/array_api.h"

enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
};

struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width;   // in elements
      std::size_t height;  // in rows
      std::size_t pitchInBytes;
    } pitch2D;
  } res;
};

struct cudaResourceViewDesc;  // for block-compressed formats and mipmaps: always null

enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };

struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
};

typedef unsigned long long cudaTextureObject_t;

// The object refers to the memory; it does not own it.
//   cudaErrorInvalidValue              no live memory of that size; a base or a pitch that is not
//                                      aligned as the device's properties say
//   cudaErrorInvalidChannelDescriptor  as for arrays
//   cudaErrorInvalidFilterSetting      linear filtering of values that are no floating-point
//   numbers cudaErrorInvalidNormSetting        integers of 32 bits as normalised numbers
//   cudaErrorNotSupported              mipmapped arrays, views, sRGB colours, and filtering across
//                                      the edges of a cube, which the device lacks
LOCKSTEP_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object,
                                                 const cudaResourceDesc* resource,
                                                 const cudaTextureDesc* texture,
                                                 const cudaResourceViewDesc* view = nullptr);
LOCKSTEP_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
LOCKSTEP_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                                          cudaTextureObject_t object);
LOCKSTEP_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture,
                                                         cudaTextureObject_t object);
