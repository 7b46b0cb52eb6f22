// SPDX-License-Identifier: MIT
// What an element of a texture or of an array is made of: one to four channels of equal size.
#pragma once

#include <type_traits>

#include "lockstep/keywords.h"
#include "lockstep/vector_types.h"

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};

struct cudaChannelFormatDesc {
  int x, y, z, w;  // bits of each channel; 0: there is none
  cudaChannelFormatKind f;
};

LOCKSTEP_INLINE cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

namespace lockstep {

// A scalar, or a vector with the channels x to w.
template <class T>
inline constexpr int kNumChannels = [] {
  if constexpr (requires(T v) { v.w; }) {
    return 4;
  } else if constexpr (requires(T v) { v.z; }) {
    return 3;
  } else if constexpr (requires(T v) { v.y; }) {
    return 2;
  } else {
    return 1;
  }
}();

template <class T>
struct ChannelOf {
  using Type = T;
};
template <class T>
requires requires(T v) { v.x; }
struct ChannelOf<T> {
  using Type = std::remove_reference_t<decltype(T::x)>;
};
template <class T>
using Channel = typename ChannelOf<T>::Type;

}  // namespace lockstep

// The format of T: a number of 8, 16 or 32 bits, or a vector of such.
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using C = lockstep::Channel<T>;
  constexpr int bits = 8 * static_cast<int>(sizeof(C));
  constexpr int channels = lockstep::kNumChannels<T>;
  static_assert(std::is_arithmetic_v<C> && bits <= 32, "a channel has 8, 16 or 32 bits");
  constexpr cudaChannelFormatKind kind = std::is_floating_point_v<C> ? cudaChannelFormatKindFloat
                                         : std::is_signed_v<C>       ? cudaChannelFormatKindSigned
                                                               : cudaChannelFormatKindUnsigned;
  return {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind};
}

// Of floating-point numbers with 16 bits, one, two or four channels.
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return {16, 0, 0, 0, cudaChannelFormatKindFloat};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return {16, 16, 0, 0, cudaChannelFormatKindFloat};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return {16, 16, 16, 16, cudaChannelFormatKindFloat};
}
