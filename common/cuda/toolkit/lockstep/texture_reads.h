// SPDX-License-Identifier: MIT
// Reading through texture objects: one instruction each. It gives four channels, as floats or as
// integers extended to 32 bits; those that the texture lacks are 0. Each function comes in CUDA's
// two forms: the value is returned, or stored through the first argument.
#pragma once

#include <type_traits>

#include "lockstep/channel_format.h"
#include "lockstep/keywords.h"
#include "lockstep/texture_api.h"

#ifdef __CUDA__

namespace lockstep {

template <class T>
struct Texel {
  T x, y, z, w;
};
// The registers for the channels of T.
template <class T>
using TexelOf =
    Texel<std::conditional_t<std::is_floating_point_v<Channel<T>>, float,
                             std::conditional_t<std::is_signed_v<Channel<T>>, int, unsigned int>>>;

template <class T>
LOCKSTEP_DEVICE T texel_value(TexelOf<T> texel) {
  using C = Channel<T>;
  static_assert(kNumChannels<T> != 3, "textures have one, two or four channels");
  static_assert(!std::is_same_v<C, double>, "textures hold no double");
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(texel.x);
  } else {
    T value;
    value.x = static_cast<C>(texel.x);
    if constexpr (kNumChannels < T >> 1) value.y = static_cast<C>(texel.y);
    if constexpr (kNumChannels < T >> 2) {
      value.z = static_cast<C>(texel.z);
      value.w = static_cast<C>(texel.w);
    }
    return value;
  }
}

}  // namespace lockstep

// `instruction` is a name without its types, `place` what follows the four results: operands from
// %4 on, and `inputs` their registers. %4 is the object.
#define LOCKSTEP_LIST(...) __VA_ARGS__
#define LOCKSTEP_READ_AS(Word, letter, instruction, types, place, inputs)           \
  lockstep::Texel<Word> texel;                                                      \
  __asm__ volatile(instruction ".v4." types " {%0, %1, %2, %3}, " place ";"         \
                   : "=" letter(texel.x), "=" letter(texel.y), "=" letter(texel.z), \
                     "=" letter(texel.w)                                            \
                   : "l"(object), LOCKSTEP_LIST inputs);                            \
  return lockstep::texel_value<T>(texel);
#define LOCKSTEP_READ(name, parameters, arguments, instruction, coordinate, place, inputs)    \
  template <class T>                                                                          \
  LOCKSTEP_DEVICE T name(cudaTextureObject_t object, LOCKSTEP_LIST parameters) {              \
    using C = lockstep::Channel<T>;                                                           \
    if constexpr (std::is_floating_point_v<C>) {                                              \
      LOCKSTEP_READ_AS(float, "f", instruction, "f32." coordinate, place, inputs)             \
    } else if constexpr (std::is_signed_v<C>) {                                               \
      LOCKSTEP_READ_AS(int, "r", instruction, "s32." coordinate, place, inputs)               \
    } else {                                                                                  \
      LOCKSTEP_READ_AS(unsigned int, "r", instruction, "u32." coordinate, place, inputs)      \
    }                                                                                         \
  }                                                                                           \
  template <class T>                                                                          \
  LOCKSTEP_DEVICE void name(T* value, cudaTextureObject_t object, LOCKSTEP_LIST parameters) { \
    *value = name<T>(object, LOCKSTEP_LIST arguments);                                        \
  }

// Number i of a linear texture, without filtering.
LOCKSTEP_READ(tex1Dfetch, (int x), (x), "tex.1d", "s32", "[%4, {%5}]", ("r"(x)))

LOCKSTEP_READ(tex1D, (float x), (x), "tex.1d", "f32", "[%4, {%5}]", ("f"(x)))
LOCKSTEP_READ(tex2D, (float x, float y), (x, y), "tex.2d", "f32", "[%4, {%5, %6}]",
              ("f"(x), "f"(y)))
LOCKSTEP_READ(tex3D, (float x, float y, float z), (x, y, z), "tex.3d", "f32",
              "[%4, {%5, %6, %7, %7}]", ("f"(x), "f"(y), "f"(z)))
LOCKSTEP_READ(tex1DLayered, (float x, int layer), (x, layer), "tex.a1d", "f32", "[%4, {%5, %6}]",
              ("r"(layer), "f"(x)))
LOCKSTEP_READ(tex2DLayered, (float x, float y, int layer), (x, y, layer), "tex.a2d", "f32",
              "[%4, {%5, %6, %7, %7}]", ("r"(layer), "f"(x), "f"(y)))
LOCKSTEP_READ(texCubemap, (float x, float y, float z), (x, y, z), "tex.cube", "f32",
              "[%4, {%5, %6, %7, %7}]", ("f"(x), "f"(y), "f"(z)))
LOCKSTEP_READ(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer),
              "tex.acube", "f32", "[%4, {%5, %6, %7, %8}]", ("r"(layer), "f"(x), "f"(y), "f"(z)))

// At a level of a mipmap.
LOCKSTEP_READ(tex1DLod, (float x, float level), (x, level), "tex.level.1d", "f32", "[%4, {%5}], %6",
              ("f"(x), "f"(level)))
LOCKSTEP_READ(tex2DLod, (float x, float y, float level), (x, y, level), "tex.level.2d", "f32",
              "[%4, {%5, %6}], %7", ("f"(x), "f"(y), "f"(level)))
LOCKSTEP_READ(tex3DLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.3d",
              "f32", "[%4, {%5, %6, %7, %7}], %8", ("f"(x), "f"(y), "f"(z), "f"(level)))
#undef LOCKSTEP_READ
#undef LOCKSTEP_READ_AS
#undef LOCKSTEP_LIST

// One channel (0 to 3) of the four texels that a filtered read at this place combines.
template <class T>
LOCKSTEP_DEVICE T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0) {
  static_assert(std::is_same_v<lockstep::Channel<T>, float>, "gathers floats");
  lockstep::Texel<float> texel;
#define LOCKSTEP_GATHER(letter)                                                      \
  __asm__ volatile("tld4." letter ".2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" \
                   : "=f"(texel.x), "=f"(texel.y), "=f"(texel.z), "=f"(texel.w)      \
                   : "l"(object), "f"(x), "f"(y));
  if (channel == 0) {
    LOCKSTEP_GATHER("r")
  } else if (channel == 1) {
    LOCKSTEP_GATHER("g")
  } else if (channel == 2) {
    LOCKSTEP_GATHER("b")
  } else {
    LOCKSTEP_GATHER("a")
  }
#undef LOCKSTEP_GATHER
  return lockstep::texel_value<T>(texel);
}

#endif
