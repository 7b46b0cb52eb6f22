// SPDX-License-Identifier: MIT
// Texture objects: how the host makes them, and how kernels read through them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/array_api.h"

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
//                                      the edges of a cube, which the emulator lacks
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view = nullptr);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object);

namespace simt {

// Which function a kernel calls: the number of coordinates, and whether a layer is one more. A cube
// map is six square images, and a layered one six for each layer.
struct ImageShape {
  int dimensions;
  bool is_layered = false;
  bool is_cube = false;
};

struct Coordinates {
  float x, y, z;
};

// The four channels as a GPU's registers hold them: floating-point numbers, or integers extended to
// 32 bits. Channels that the texture lacks are 0.
struct Texel {
  std::uint32_t channels[4];
};

// What the template argument of a read makes of the channels.
enum class ReadAs { kFloat, kInteger };
template <class T>
inline constexpr ReadAs kReadAs =
    std::is_floating_point_v<Channel<T>> ? ReadAs::kFloat : ReadAs::kInteger;

Texel sample_texture(cudaTextureObject_t object, ImageShape shape, ReadAs as, Coordinates at,
                     int layer);
Texel sample_cube(cudaTextureObject_t object, bool is_layered, ReadAs as, Coordinates direction,
                  int layer);
Texel fetch_texel(cudaTextureObject_t object, ReadAs as, int index);

template <class C>
SIMT_INLINE C channel_value(std::uint32_t bits) {
  if constexpr (std::is_floating_point_v<C>) {
    static_assert(sizeof(C) == sizeof bits, "textures hold no double");
    return __builtin_bit_cast(C, bits);
  } else {
    return static_cast<C>(bits);
  }
}

template <class T>
SIMT_INLINE T texel_value(Texel texel) {
  using C = Channel<T>;
  if constexpr (std::is_arithmetic_v<T>) {
    return channel_value<C>(texel.channels[0]);
  } else {
    static_assert(kNumChannels<T> != 3, "textures have one, two or four channels");
    T value;
    value.x = channel_value<C>(texel.channels[0]);
    if constexpr (kNumChannels < T >> 1) value.y = channel_value<C>(texel.channels[1]);
    if constexpr (kNumChannels < T >> 2) {
      value.z = channel_value<C>(texel.channels[2]);
      value.w = channel_value<C>(texel.channels[3]);
    }
    return value;
  }
}

}  // namespace simt

// Each comes in CUDA's two forms: the value is returned, or stored through the first argument.
#define SIMT_LIST(...) __VA_ARGS__
#define SIMT_READ_FUNCTION(name, parameters, read)                                    \
  template <class T>                                                                  \
  SIMT_INLINE T name(cudaTextureObject_t object, SIMT_LIST parameters) {              \
    return simt::texel_value<T>(read);                                                \
  }                                                                                   \
  template <class T>                                                                  \
  SIMT_INLINE void name(T* value, cudaTextureObject_t object, SIMT_LIST parameters) { \
    *value = simt::texel_value<T>(read);                                              \
  }
#define SIMT_TEXTURE_FUNCTION(name, parameters, dimensions, is_layered, x, y, z, layer)        \
  SIMT_READ_FUNCTION(name, parameters,                                                         \
                     (simt::sample_texture(object, {dimensions, is_layered}, simt::kReadAs<T>, \
                                           {x, y, z}, layer)))
SIMT_TEXTURE_FUNCTION(tex1D, (float x), 1, false, x, 0, 0, 0)
SIMT_TEXTURE_FUNCTION(tex2D, (float x, float y), 2, false, x, y, 0, 0)
SIMT_TEXTURE_FUNCTION(tex3D, (float x, float y, float z), 3, false, x, y, z, 0)
SIMT_TEXTURE_FUNCTION(tex1DLayered, (float x, int layer), 1, true, x, 0, 0, layer)
SIMT_TEXTURE_FUNCTION(tex2DLayered, (float x, float y, int layer), 2, true, x, y, 0, layer)
// There are no mipmaps, so each level is the whole image.
SIMT_TEXTURE_FUNCTION(tex1DLod, (float x, float /*level*/), 1, false, x, 0, 0, 0)
SIMT_TEXTURE_FUNCTION(tex2DLod, (float x, float y, float /*level*/), 2, false, x, y, 0, 0)
SIMT_TEXTURE_FUNCTION(tex3DLod, (float x, float y, float z, float /*level*/), 3, false, x, y, z, 0)
SIMT_READ_FUNCTION(texCubemap, (float x, float y, float z),
                   simt::sample_cube(object, false, simt::kReadAs<T>, {x, y, z}, 0))
SIMT_READ_FUNCTION(texCubemapLayered, (float x, float y, float z, int layer),
                   simt::sample_cube(object, true, simt::kReadAs<T>, {x, y, z}, layer))
#undef SIMT_TEXTURE_FUNCTION
#undef SIMT_READ_FUNCTION

template <class T>
SIMT_INLINE T tex1Dfetch(cudaTextureObject_t object, int index) {
  return simt::texel_value<T>(simt::fetch_texel(object, simt::kReadAs<T>, index));
}
template <class T>
SIMT_INLINE void tex1Dfetch(T* value, cudaTextureObject_t object, int index) {
  *value = simt::texel_value<T>(simt::fetch_texel(object, simt::kReadAs<T>, index));
}
