// SPDX-License-Identifier: MIT
// The operators that programs hand to CUB.
#pragma once

#include "cub/util_type.cuh"

namespace cub {

struct Sum {
  template <class T, class U>
  SIMT_INLINE auto operator()(const T& a, const U& b) const {
    return a + b;
  }
};
struct Difference {
  template <class T, class U>
  SIMT_INLINE auto operator()(const T& a, const U& b) const {
    return a - b;
  }
};
struct Max {
  template <class T>
  SIMT_INLINE T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  SIMT_INLINE T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
// Of equal values, that with the smaller key.
struct ArgMax {
  template <class T, class Key>
  SIMT_INLINE KeyValuePair<Key, T> operator()(const KeyValuePair<Key, T>& a,
                                              const KeyValuePair<Key, T>& b) const {
    return a.value < b.value || (!(b.value < a.value) && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class T, class Key>
  SIMT_INLINE KeyValuePair<Key, T> operator()(const KeyValuePair<Key, T>& a,
                                              const KeyValuePair<Key, T>& b) const {
    return b.value < a.value || (!(a.value < b.value) && b.key < a.key) ? b : a;
  }
};
struct Equality {
  template <class T, class U>
  SIMT_INLINE bool operator()(const T& a, const U& b) const {
    return a == b;
  }
};
struct Inequality {
  template <class T, class U>
  SIMT_INLINE bool operator()(const T& a, const U& b) const {
    return a != b;
  }
};

}  // namespace cub
