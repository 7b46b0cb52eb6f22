// SPDX-License-Identifier: MIT
// Types that CUB's functions share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "cub/util_traits.cuh"

namespace cub {

struct NullType {
  template <class T>
  NullType& operator=(const T&) {
    return *this;
  }
  bool operator==(const NullType&) const { return true; }
  bool operator!=(const NullType&) const { return false; }
};

template <class Key_, class Value_>
struct KeyValuePair {
  using Key = Key_;
  using Value = Value_;
  Key key;
  Value value;
};

// Two arrays. One of them is current.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

// Memory for one use at a time, as the type that a function keeps there.
template <class T>
struct Uninitialized {
  T room;
  SIMT_INLINE T& Alias() { return room; }
};

namespace detail {

template <class Iterator>
using ValueOf = typename std::iterator_traits<Iterator>::value_type;

// The number of threads in a block of that shape, and the number of the calling one.
constexpr int product(int x, int y, int z) { return x * y * z; }
SIMT_INLINE int linear_thread() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

}  // namespace detail
}  // namespace cub

#define CUB_VERSION 300000
#define CUB_MAX_DEVICES 128
#define CUB_RUNTIME_FUNCTION
#define CUB_PTX_WARP_THREADS 32
#define CUB_WARP_THREADS(arch) 32
