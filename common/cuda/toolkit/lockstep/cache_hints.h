// SPDX-License-Identifier: MIT
// Loads and stores with a cache hint, of 1 to 16 bytes in global memory: one instruction each. The
// compiler neither moves nor drops them: programs poll other blocks' memory with some of them.
#pragma once

#include <type_traits>

#include "lockstep/keywords.h"
#include "lockstep/vector_types.h"

#ifdef __CUDA__

namespace lockstep {

// What an instruction moves: numbers, vectors of the toolkit, and classes of their size.
template <class T>
inline constexpr bool kIsMoved = (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 ||
                                  sizeof(T) == 8 || sizeof(T) == 16) &&
                                 alignof(T) == sizeof(T);

struct alignas(16) Words {
  unsigned int x, y, z, w;
};

}  // namespace lockstep

#define LOCKSTEP_LOAD(name, instruction)                                                     \
  template <class T>                                                                         \
  LOCKSTEP_DEVICE std::enable_if_t<lockstep::kIsMoved<T>, T> name(const T* address) {        \
    if constexpr (sizeof(T) == 16) {                                                         \
      lockstep::Words words;                                                                 \
      __asm__ volatile(instruction ".v4.b32 {%0, %1, %2, %3}, [%4];"                         \
                       : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)          \
                       : "l"(address)                                                        \
                       : "memory");                                                          \
      return __builtin_bit_cast(T, words);                                                   \
    } else if constexpr (sizeof(T) == 8) {                                                   \
      unsigned long long bits;                                                               \
      __asm__ volatile(instruction ".b64 %0, [%1];" : "=l"(bits) : "l"(address) : "memory"); \
      return __builtin_bit_cast(T, bits);                                                    \
    } else if constexpr (sizeof(T) == 4) {                                                   \
      unsigned int bits;                                                                     \
      __asm__ volatile(instruction ".b32 %0, [%1];" : "=r"(bits) : "l"(address) : "memory"); \
      return __builtin_bit_cast(T, bits);                                                    \
    } else if constexpr (sizeof(T) == 2) {                                                   \
      unsigned short bits;                                                                   \
      __asm__ volatile(instruction ".b16 %0, [%1];" : "=h"(bits) : "l"(address) : "memory"); \
      return __builtin_bit_cast(T, bits);                                                    \
    } else {                                                                                 \
      unsigned int bits;                                                                     \
      __asm__ volatile(instruction ".u8 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");  \
      return __builtin_bit_cast(T, static_cast<unsigned char>(bits));                        \
    }                                                                                        \
  }
LOCKSTEP_LOAD(__ldg, "ld.global.nc")
LOCKSTEP_LOAD(__ldca, "ld.global.ca")
LOCKSTEP_LOAD(__ldcg, "ld.global.cg")
LOCKSTEP_LOAD(__ldcs, "ld.global.cs")
LOCKSTEP_LOAD(__ldlu, "ld.global.lu")
LOCKSTEP_LOAD(__ldcv, "ld.global.cv")
#undef LOCKSTEP_LOAD

#define LOCKSTEP_STORE(name, instruction)                                                          \
  template <class T>                                                                               \
  LOCKSTEP_DEVICE std::enable_if_t<lockstep::kIsMoved<T>> name(T* address,                         \
                                                               lockstep::Given<T> value) {         \
    if constexpr (sizeof(T) == 16) {                                                               \
      const auto words = __builtin_bit_cast(lockstep::Words, value);                               \
      __asm__ volatile(instruction ".v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(words.x), \
                       "r"(words.y), "r"(words.z), "r"(words.w)                                    \
                       : "memory");                                                                \
    } else if constexpr (sizeof(T) == 8) {                                                         \
      const auto bits = __builtin_bit_cast(unsigned long long, value);                             \
      __asm__ volatile(instruction ".b64 [%0], %1;" ::"l"(address), "l"(bits) : "memory");         \
    } else if constexpr (sizeof(T) == 4) {                                                         \
      const auto bits = __builtin_bit_cast(unsigned int, value);                                   \
      __asm__ volatile(instruction ".b32 [%0], %1;" ::"l"(address), "r"(bits) : "memory");         \
    } else if constexpr (sizeof(T) == 2) {                                                         \
      const auto bits = __builtin_bit_cast(unsigned short, value);                                 \
      __asm__ volatile(instruction ".b16 [%0], %1;" ::"l"(address), "h"(bits) : "memory");         \
    } else {                                                                                       \
      const unsigned int bits = __builtin_bit_cast(unsigned char, value);                          \
      __asm__ volatile(instruction ".u8 [%0], %1;" ::"l"(address), "r"(bits) : "memory");          \
    }                                                                                              \
  }

namespace lockstep {

// A parameter that converts: its type is not deduced.
template <class T>
struct GivenType {
  using Type = T;
};
template <class T>
using Given = typename GivenType<T>::Type;

}  // namespace lockstep

LOCKSTEP_STORE(__stwb, "st.global.wb")
LOCKSTEP_STORE(__stcg, "st.global.cg")
LOCKSTEP_STORE(__stcs, "st.global.cs")
LOCKSTEP_STORE(__stwt, "st.global.wt")
#undef LOCKSTEP_STORE

#endif
