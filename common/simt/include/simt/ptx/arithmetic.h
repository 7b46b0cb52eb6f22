// SPDX-License-Identifier: MIT
// What arithmetic and comparisons of inline PTX become. Integers wrap around.
#pragma once

#include <cmath>
#include <type_traits>

#include "simt/ptx/register.h"

namespace simt::ptx {

#define SIMT_PTX_ARITHMETIC(name, sign)                                   \
  template <class T>                                                      \
  SIMT_INLINE T name(T a, T b) {                                          \
    if constexpr (std::is_integral_v<T>) {                                \
      return static_cast<T>(static_cast<unsigned long long>(a)            \
                                sign static_cast<unsigned long long>(b)); \
    } else {                                                              \
      return a sign b;                                                    \
    }                                                                     \
  }
SIMT_PTX_ARITHMETIC(add, +)
SIMT_PTX_ARITHMETIC(subtract, -)
SIMT_PTX_ARITHMETIC(mul_lo, *)
#undef SIMT_PTX_ARITHMETIC

template <class T>
SIMT_INLINE T mul_hi(T a, T b) {
  using Twice = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>((static_cast<Twice>(a) * static_cast<Twice>(b)) >> (8 * sizeof(T)));
}
template <class T>
SIMT_INLINE Wide<T> mul_wide(T a, T b) {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <class T>
SIMT_INLINE Wide<T> mad_wide(T a, T b, Wide<T> c) {
  return add<Wide<T>>(mul_wide(a, b), c);
}
template <class T>
SIMT_INLINE T fma(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fma(a, b, c);
  } else if constexpr (sizeof(T) == 2) {
    return __hfma(a, b, c);
  } else {
    return __hfma2(a, b, c);
  }
}
template <class T>
SIMT_INLINE T add_carry(T a, T b, bool carry, bool* carried) {
  using U = Unsigned<T>;
  const auto sum = static_cast<unsigned __int128>(static_cast<U>(a)) + static_cast<U>(b) + carry;
  if (carried != nullptr) *carried = (sum >> (8 * sizeof(T))) != 0;
  return static_cast<T>(sum);
}
template <class T>
SIMT_INLINE T subtract_borrow(T a, T b, bool borrow, bool* borrowed) {
  using U = Unsigned<T>;
  const auto difference =
      static_cast<unsigned __int128>(static_cast<U>(a)) - static_cast<U>(b) - borrow;
  if (borrowed != nullptr) *borrowed = (difference >> (8 * sizeof(T))) != 0;
  return static_cast<T>(difference);
}
SIMT_INLINE int clamped(long long x) {
  return x > 0x7fffffff ? 0x7fffffff : x < -0x80000000ll ? -0x7fffffff - 1 : static_cast<int>(x);
}
SIMT_INLINE int add_saturated(int a, int b) { return clamped(static_cast<long long>(a) + b); }
SIMT_INLINE int subtract_saturated(int a, int b) { return clamped(static_cast<long long>(a) - b); }
// NaN gives 0.
template <class T>
SIMT_INLINE T saturated(T x) {
  if constexpr (std::is_same_v<T, Half2> || std::is_same_v<T, Bfloat2>) {
    return T(saturated(x.x), saturated(x.y));
  } else {
    static_assert(!std::is_integral_v<T>);
    return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
  }
}
// A division by zero gives all ones.
template <class T>
SIMT_INLINE T divide(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return subtract<T>(0, a);
    return static_cast<T>(a / b);
  } else {
    return a / b;
  }
}
template <class T>
SIMT_INLINE T remainder(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}
template <class T>
SIMT_INLINE T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmin(a, b);
  } else if constexpr (std::is_integral_v<T>) {
    return a < b ? a : b;
  } else if constexpr (sizeof(T) == 2) {
    return __hmin(a, b);
  } else {
    return __hmin2(a, b);
  }
}
template <class T>
SIMT_INLINE T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmax(a, b);
  } else if constexpr (std::is_integral_v<T>) {
    return a > b ? a : b;
  } else if constexpr (sizeof(T) == 2) {
    return __hmax(a, b);
  } else {
    return __hmax2(a, b);
  }
}
template <class T>
SIMT_INLINE T negative(T a) {
  if constexpr (std::is_integral_v<T>) {
    return subtract<T>(0, a);
  } else {
    return -a;
  }
}
template <class T>
SIMT_INLINE T absolute(T a) {
  if constexpr (std::is_integral_v<T>) {
    return a < 0 ? negative(a) : a;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(a);
  } else if constexpr (sizeof(T) == 2) {
    return __habs(a);
  } else {
    return __habs2(a);
  }
}
template <class T>
SIMT_INLINE T copy_sign(T sign, T size) {
  return std::copysign(size, sign);
}
template <class T>
SIMT_INLINE T absolute_difference(T a, T b, T c) {
  return add<T>(a > b ? subtract<T>(a, b) : subtract<T>(b, a), c);
}

#define SIMT_PTX_FUNCTION(name, expression, half_function) \
  template <class T>                                       \
  SIMT_INLINE T name(T x) {                                \
    if constexpr (std::is_floating_point_v<T>) {           \
      return expression;                                   \
    } else if constexpr (sizeof(T) == 2) {                 \
      return half_function(x);                             \
    } else {                                               \
      return T(half_function(x.x), half_function(x.y));    \
    }                                                      \
  }
SIMT_PTX_FUNCTION(reciprocal, 1 / x, hrcp)
SIMT_PTX_FUNCTION(square_root, std::sqrt(x), hsqrt)
SIMT_PTX_FUNCTION(reciprocal_root, 1 / std::sqrt(x), hrsqrt)
SIMT_PTX_FUNCTION(sine, std::sin(x), hsin)
SIMT_PTX_FUNCTION(cosine, std::cos(x), hcos)
SIMT_PTX_FUNCTION(logarithm, std::log2(x), hlog2)
SIMT_PTX_FUNCTION(power_of_two, std::exp2(x), hexp2)
SIMT_PTX_FUNCTION(hyperbolic_tangent, std::tanh(x), htanh)
#undef SIMT_PTX_FUNCTION

template <class T>
SIMT_INLINE bool is_unordered(T a, T b) {
  return a != a || b != b;
}

}  // namespace simt::ptx
