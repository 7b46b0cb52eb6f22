// SPDX-License-Identifier: MIT
// Reading and writing through surface objects: one instruction each, of 1, 2, 4, 8 or 16 bytes. x
// counts bytes.
#pragma once

#include <type_traits>

#include "lockstep/cache_hints.h"
#include "lockstep/keywords.h"
#include "lockstep/surface_api.h"

#ifdef __CUDA__

#define LOCKSTEP_LIST(...) __VA_ARGS__

// `geometry` is a part of the instruction's name, `place` its coordinates, and `inputs` their
// registers. What is beyond the edge is a part of the name, too.
#define LOCKSTEP_BY_MODE(instruction, ...)    \
  if (mode == cudaBoundaryModeZero) {         \
    instruction(".zero", __VA_ARGS__)         \
  } else if (mode == cudaBoundaryModeClamp) { \
    instruction(".clamp", __VA_ARGS__)        \
  } else {                                    \
    instruction(".trap", __VA_ARGS__)         \
  }
#define LOCKSTEP_LOAD(mode_name, type, letter, geometry, place, inputs)                         \
  __asm__ volatile("suld.b." geometry "." type mode_name " %[value], [%[object], {" place "}];" \
                   : [value] "=" letter(bits)                                                   \
                   : [object] "l"(object), LOCKSTEP_LIST inputs                                 \
                   : "memory");
#define LOCKSTEP_LOAD4(mode_name, geometry, place, inputs)                                        \
  __asm__ volatile(                                                                               \
      "suld.b." geometry ".v4.b32" mode_name " {%[vx], %[vy], %[vz], %[vw]}, [%[object], {" place \
      "}];"                                                                                       \
      : [vx] "=r"(words.x), [vy] "=r"(words.y), [vz] "=r"(words.z), [vw] "=r"(words.w)            \
      : [object] "l"(object), LOCKSTEP_LIST inputs                                                \
      : "memory");
#define LOCKSTEP_STORE(mode_name, type, letter, geometry, place, inputs)                        \
  __asm__ volatile("sust.b." geometry "." type mode_name " [%[object], {" place "}], %[value];" \
                   :                                                                            \
                   : [value] letter(bits), [object] "l"(object), LOCKSTEP_LIST inputs           \
                   : "memory");
#define LOCKSTEP_STORE4(mode_name, geometry, place, inputs)                                      \
  __asm__ volatile("sust.b." geometry ".v4.b32" mode_name " [%[object], {" place                 \
                   "}], {%[vx], %[vy], %[vz], %[vw]};"                                           \
                   :                                                                             \
                   : [vx] "r"(words.x), [vy] "r"(words.y), [vz] "r"(words.z), [vw] "r"(words.w), \
                     [object] "l"(object), LOCKSTEP_LIST inputs                                  \
                   : "memory");

#define LOCKSTEP_SURFACE(name, parameters, arguments, geometry, place, inputs)                     \
  template <class T>                                                                               \
  LOCKSTEP_DEVICE std::enable_if_t<std::is_trivially_copyable_v<T>, T> name##read(                 \
      cudaSurfaceObject_t object, LOCKSTEP_LIST parameters,                                        \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                       \
    if constexpr (sizeof(T) == 16) {                                                               \
      lockstep::Words words;                                                                       \
      LOCKSTEP_BY_MODE(LOCKSTEP_LOAD4, geometry, place, inputs)                                    \
      return __builtin_bit_cast(T, words);                                                         \
    } else if constexpr (sizeof(T) == 8) {                                                         \
      unsigned long long bits;                                                                     \
      LOCKSTEP_BY_MODE(LOCKSTEP_LOAD, "b64", "l", geometry, place, inputs)                         \
      return __builtin_bit_cast(T, bits);                                                          \
    } else if constexpr (sizeof(T) == 4) {                                                         \
      unsigned int bits;                                                                           \
      LOCKSTEP_BY_MODE(LOCKSTEP_LOAD, "b32", "r", geometry, place, inputs)                         \
      return __builtin_bit_cast(T, bits);                                                          \
    } else if constexpr (sizeof(T) == 2) {                                                         \
      unsigned short bits;                                                                         \
      LOCKSTEP_BY_MODE(LOCKSTEP_LOAD, "b16", "h", geometry, place, inputs)                         \
      return __builtin_bit_cast(T, bits);                                                          \
    } else {                                                                                       \
      unsigned short bits;                                                                         \
      LOCKSTEP_BY_MODE(LOCKSTEP_LOAD, "b8", "h", geometry, place, inputs)                          \
      return __builtin_bit_cast(T, static_cast<unsigned char>(bits));                              \
    }                                                                                              \
  }                                                                                                \
  template <class T>                                                                               \
  LOCKSTEP_DEVICE void name##read(T* result, cudaSurfaceObject_t object, LOCKSTEP_LIST parameters, \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {           \
    *result = name##read<T>(object, LOCKSTEP_LIST arguments, mode);                                \
  }                                                                                                \
  template <class T>                                                                               \
  LOCKSTEP_DEVICE std::enable_if_t<std::is_trivially_copyable_v<T>> name##write(                   \
      T value, cudaSurfaceObject_t object, LOCKSTEP_LIST parameters,                               \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                       \
    if constexpr (sizeof(T) == 16) {                                                               \
      const auto words = __builtin_bit_cast(lockstep::Words, value);                               \
      LOCKSTEP_BY_MODE(LOCKSTEP_STORE4, geometry, place, inputs)                                   \
    } else if constexpr (sizeof(T) == 8) {                                                         \
      const auto bits = __builtin_bit_cast(unsigned long long, value);                             \
      LOCKSTEP_BY_MODE(LOCKSTEP_STORE, "b64", "l", geometry, place, inputs)                        \
    } else if constexpr (sizeof(T) == 4) {                                                         \
      const auto bits = __builtin_bit_cast(unsigned int, value);                                   \
      LOCKSTEP_BY_MODE(LOCKSTEP_STORE, "b32", "r", geometry, place, inputs)                        \
    } else if constexpr (sizeof(T) == 2) {                                                         \
      const auto bits = __builtin_bit_cast(unsigned short, value);                                 \
      LOCKSTEP_BY_MODE(LOCKSTEP_STORE, "b16", "h", geometry, place, inputs)                        \
    } else {                                                                                       \
      const unsigned short bits = __builtin_bit_cast(unsigned char, value);                        \
      LOCKSTEP_BY_MODE(LOCKSTEP_STORE, "b8", "h", geometry, place, inputs)                         \
    }                                                                                              \
  }
LOCKSTEP_SURFACE(surf1D, (int x), (x), "1d", "%[x]", ([x] "r"(x)))
LOCKSTEP_SURFACE(surf2D, (int x, int y), (x, y), "2d", "%[x], %[y]", ([x] "r"(x), [y] "r"(y)))
LOCKSTEP_SURFACE(surf3D, (int x, int y, int z), (x, y, z), "3d", "%[x], %[y], %[z], %[z]",
                 ([x] "r"(x), [y] "r"(y), [z] "r"(z)))
LOCKSTEP_SURFACE(surf1DLayered, (int x, int layer), (x, layer), "a1d", "%[layer], %[x]",
                 ([layer] "r"(layer), [x] "r"(x)))
LOCKSTEP_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer), "a2d",
                 "%[layer], %[x], %[y], %[y]", ([layer] "r"(layer), [x] "r"(x), [y] "r"(y)))
// The faces of a cube map are layers; in layers, six times the layer and the face are one number.
LOCKSTEP_SURFACE(surfCubemap, (int x, int y, int face), (x, y, face), "a2d",
                 "%[face], %[x], %[y], %[y]", ([face] "r"(face), [x] "r"(x), [y] "r"(y)))
LOCKSTEP_SURFACE(surfCubemapLayered, (int x, int y, int layer_face), (x, y, layer_face), "a2d",
                 "%[layer], %[x], %[y], %[y]", ([layer] "r"(layer_face), [x] "r"(x), [y] "r"(y)))
#undef LOCKSTEP_SURFACE
#undef LOCKSTEP_STORE4
#undef LOCKSTEP_STORE
#undef LOCKSTEP_LOAD4
#undef LOCKSTEP_LOAD
#undef LOCKSTEP_BY_MODE
#undef LOCKSTEP_LIST

#endif
