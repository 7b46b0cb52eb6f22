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

LOCKSTEP_HOST cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                          cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

namespace lockstep {

// A scalar, or a vector with the channels x to w.
template <class T>
struct ChannelsOf {
  using Type = T;
  static constexpr int kCount = 1;
};
#define LOCKSTEP_CHANNELS(name, component, count) \
  template <>                                     \
  struct ChannelsOf<name##count> {                \
    using Type = component;                       \
    static constexpr int kCount = count;          \
  };
#define LOCKSTEP_VECTORS(name, component) \
  LOCKSTEP_CHANNELS(name, component, 1)   \
  LOCKSTEP_CHANNELS(name, component, 2)   \
  LOCKSTEP_CHANNELS(name, component, 3)   \
  LOCKSTEP_CHANNELS(name, component, 4)
LOCKSTEP_VECTORS(char, signed char)
LOCKSTEP_VECTORS(uchar, unsigned char)
LOCKSTEP_VECTORS(short, short)
LOCKSTEP_VECTORS(ushort, unsigned short)
LOCKSTEP_VECTORS(int, int)
LOCKSTEP_VECTORS(uint, unsigned int)
LOCKSTEP_VECTORS(long, long)
LOCKSTEP_VECTORS(ulong, unsigned long)
LOCKSTEP_VECTORS(longlong, long long)
LOCKSTEP_VECTORS(ulonglong, unsigned long long)
LOCKSTEP_VECTORS(float, float)
LOCKSTEP_VECTORS(double, double)
#undef LOCKSTEP_VECTORS
#undef LOCKSTEP_CHANNELS
template <class T>
using Channel = typename ChannelsOf<T>::Type;
template <class T>
inline constexpr int kNumChannels = ChannelsOf<T>::kCount;

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
