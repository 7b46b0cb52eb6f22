// SPDX-License-Identifier: MIT
// Integer arithmetic: add, sub, mul, mad, div, min, max, sad and similar.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/lanes.h"

namespace run::arithmetic {

namespace {

template <class T>
struct Traits;
#define LAB_INTEGER(T, U, W, signed_)          \
  template <>                                  \
  struct Traits<T> {                           \
    using Unsigned = U;                        \
    using Wide = W;                            \
    static constexpr bool is_signed = signed_; \
  }
LAB_INTEGER(std::int16_t, std::uint16_t, std::int32_t, true);
LAB_INTEGER(std::uint16_t, std::uint16_t, std::uint32_t, false);
LAB_INTEGER(std::int32_t, std::uint32_t, std::int64_t, true);
LAB_INTEGER(std::uint32_t, std::uint32_t, std::uint64_t, false);
LAB_INTEGER(std::int64_t, std::uint64_t, __int128, true);
LAB_INTEGER(std::uint64_t, std::uint64_t, unsigned __int128, false);
#undef LAB_INTEGER

template <class T>
using Unsigned = typename Traits<T>::Unsigned;
template <class T>
using Wide = typename Traits<T>::Wide;
// Arithmetic of 32 bits at least, without a sign, so that it wraps.
template <class T>
using Modular = typename Either<sizeof(T) <= 4, std::uint32_t, std::uint64_t>::Type;
template <class T>
LAB_INLINE Modular<T> modular(T value) {
  return static_cast<Modular<T>>(value);
}

template <class T>
LAB_INLINE T add(T a, T b) {
  return static_cast<T>(modular(a) + modular(b));
}
template <class T>
LAB_INLINE T sub(T a, T b) {
  return static_cast<T>(modular(a) - modular(b));
}
template <class T>
LAB_INLINE T mul_lo(T a, T b) {
  return static_cast<T>(modular(a) * modular(b));
}
// A product of 64 bits from 32-bit ones, for which there are vector instructions.
template <class T>
LAB_INLINE T mul_hi(T a, T b) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >>
                          static_cast<int>(8 * sizeof(T)));
  } else {
    const std::uint64_t x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    const std::uint64_t x0 = x & 0xffffffff, x1 = x >> 32, y0 = y & 0xffffffff, y1 = y >> 32;
    const std::uint64_t low = x0 * y0, cross = x1 * y0 + (low >> 32);
    const std::uint64_t other = x0 * y1 + (cross & 0xffffffff);
    std::uint64_t high = x1 * y1 + (cross >> 32) + (other >> 32);
    if (Traits<T>::is_signed) high -= ((a < 0) ? y : 0) + ((b < 0) ? x : 0);
    return static_cast<T>(high);
  }
}
template <class T>
LAB_INLINE Wide<T> mul_wide(T a, T b) {
  return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b);
}
template <class T>
LAB_INLINE T smaller(T a, T b) {
  return a < b ? a : b;
}
template <class T>
LAB_INLINE T larger(T a, T b) {
  return a > b ? a : b;
}
template <class T>
LAB_INLINE T smaller_relu(T a, T b) {
  return larger<T>(smaller(a, b), 0);
}
template <class T>
LAB_INLINE T larger_relu(T a, T b) {
  return larger<T>(larger(a, b), 0);
}
template <class T>
LAB_INLINE T negated(T a) {
  return static_cast<T>(0 - modular(a));
}
template <class T>
LAB_INLINE T absolute(T a) {
  return a < 0 ? negated(a) : a;
}
LAB_INLINE std::int32_t add_sat(std::int32_t a, std::int32_t b) {
  const std::uint32_t sum = modular(a) + modular(b);
  const std::uint32_t limit = (modular(a) >> 31) + 0x7fffffffu;
  const bool overflows = static_cast<std::int32_t>((modular(a) ^ sum) & (modular(b) ^ sum)) < 0;
  return static_cast<std::int32_t>(overflows ? limit : sum);
}
LAB_INLINE std::int32_t sub_sat(std::int32_t a, std::int32_t b) {
  const std::uint32_t difference = modular(a) - modular(b);
  const std::uint32_t limit = (modular(a) >> 31) + 0x7fffffffu;
  const bool overflows =
      static_cast<std::int32_t>((modular(a) ^ modular(b)) & (modular(a) ^ difference)) < 0;
  return static_cast<std::int32_t>(overflows ? limit : difference);
}
template <class T>
LAB_INLINE T sad(T a, T b, T c) {
  const Modular<T> difference = a > b ? modular(a) - modular(b) : modular(b) - modular(a);
  return static_cast<T>(modular(c) + difference);
}
template <class T>
LAB_INLINE T mad_lo(T a, T b, T c) {
  return add(mul_lo(a, b), c);
}
template <class T>
LAB_INLINE T mad_hi(T a, T b, T c) {
  return add(mul_hi(a, b), c);
}
LAB_INLINE std::int32_t mad_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return add_sat(mul_hi(a, b), c);
}
template <class T>
LAB_INLINE Wide<T> mad_wide(T a, T b, Wide<T> c) {
  return add<Wide<T>>(mul_wide(a, b), c);
}

// mul24: the low 24 bits of each source, as a number of the type; 48 bits of product.
template <class T>
LAB_INLINE T low_24(T a) {
  return static_cast<T>(static_cast<T>(modular(a) << 8) >> 8);
}
template <class T>
LAB_INLINE T mul24_lo(T a, T b) {
  return mul_lo(low_24(a), low_24(b));
}
template <class T>
LAB_INLINE T mul24_hi(T a, T b) {
  return static_cast<T>(mul_wide(low_24(a), low_24(b)) >> 16);
}
template <class T>
LAB_INLINE T mad24_lo(T a, T b, T c) {
  return add(mul24_lo(a, b), c);
}
template <class T>
LAB_INLINE T mad24_hi(T a, T b, T c) {
  return add(mul24_hi(a, b), c);
}
LAB_INLINE std::int32_t mad24_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return add_sat(mul24_hi(a, b), c);
}

// Division by zero gives all ones, for the quotient and for the remainder, as ptxas's code does.
// The quotient of 32-bit numbers is exact in double: it has 53 bits, and 32 + 1 decide.
template <class T>
LAB_INLINE T quotient(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if (b == 0) return static_cast<T>(~T{0});
    if (Traits<T>::is_signed && b == static_cast<T>(~T{0})) return negated(a);
    return static_cast<T>(a / b);
  } else {
    const double divisor = b == 0 ? 1.0 : static_cast<double>(b);
    const std::int64_t whole = static_cast<std::int64_t>(static_cast<double>(a) / divisor);
    return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(whole);
  }
}
template <class T>
LAB_INLINE T remainder(T a, T b) {
  const T rest = sub(a, mul_lo(quotient(a, b), b));
  return b == 0 ? static_cast<T>(~T{0}) : rest;
}

template <class T>
Handler pick(Integer operation) {
  switch (operation) {
    case Integer::kAdd:
      return binary<add<T>, T, T, T>;
    case Integer::kSub:
      return binary<sub<T>, T, T, T>;
    case Integer::kMulLo:
      return binary<mul_lo<T>, T, T, T>;
    case Integer::kMulHi:
      return binary<mul_hi<T>, T, T, T>;
    case Integer::kDiv:
      return binary<quotient<T>, T, T, T>;
    case Integer::kRem:
      return binary<remainder<T>, T, T, T>;
    case Integer::kMin:
      return binary<smaller<T>, T, T, T>;
    case Integer::kMax:
      return binary<larger<T>, T, T, T>;
    case Integer::kSad:
      return ternary<sad<T>, T, T, T, T>;
    case Integer::kMadLo:
      return ternary<mad_lo<T>, T, T, T, T>;
    case Integer::kMadHi:
      return ternary<mad_hi<T>, T, T, T, T>;
    default:
      break;
  }
  if constexpr (sizeof(T) < 8) {
    if (operation == Integer::kMulWide) return binary<mul_wide<T>, Wide<T>, T, T>;
    if (operation == Integer::kMadWide) return ternary<mad_wide<T>, Wide<T>, T, T, Wide<T>>;
  }
  if constexpr (sizeof(T) == 4) {
    if (operation == Integer::kMul24Lo) return binary<mul24_lo<T>, T, T, T>;
    if (operation == Integer::kMul24Hi) return binary<mul24_hi<T>, T, T, T>;
    if (operation == Integer::kMad24Lo) return ternary<mad24_lo<T>, T, T, T, T>;
    if (operation == Integer::kMad24Hi) return ternary<mad24_hi<T>, T, T, T, T>;
  }
  if constexpr (Traits<T>::is_signed) {
    if (operation == Integer::kAbs) return unary<absolute<T>, T, T>;
    if (operation == Integer::kNeg) return unary<negated<T>, T, T>;
  }
  return nullptr;
}

Handler pick_s32(Integer operation) {
  using S32 = std::int32_t;
  switch (operation) {
    case Integer::kMinRelu:
      return binary<smaller_relu<S32>, S32, S32, S32>;
    case Integer::kMaxRelu:
      return binary<larger_relu<S32>, S32, S32, S32>;
    case Integer::kAddSat:
      return binary<add_sat, S32, S32, S32>;
    case Integer::kSubSat:
      return binary<sub_sat, S32, S32, S32>;
    case Integer::kMadHiSat:
      return ternary<mad_hi_sat, S32, S32, S32, S32>;
    case Integer::kMad24HiSat:
      return ternary<mad24_hi_sat, S32, S32, S32, S32>;
    default:
      return pick<S32>(operation);
  }
}

// Two numbers of 16 bits.
template <auto function, class T>
LAB_INLINE std::uint32_t halves(std::uint32_t a, std::uint32_t b) {
  const T low = function(static_cast<T>(a), static_cast<T>(b));
  const T high = function(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
  return static_cast<std::uint16_t>(low) |
         static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16;
}
template <class T>
Handler pick_halves(Integer operation) {
  using U32 = std::uint32_t;
  switch (operation) {
    case Integer::kAdd:
      return binary<halves<add<T>, T>, U32, U32, U32>;
    case Integer::kMin:
      return binary<halves<smaller<T>, T>, U32, U32, U32>;
    case Integer::kMax:
      return binary<halves<larger<T>, T>, U32, U32, U32>;
    default:
      break;
  }
  if constexpr (Traits<T>::is_signed) {
    if (operation == Integer::kMinRelu) return binary<halves<smaller_relu<T>, T>, U32, U32, U32>;
    if (operation == Integer::kMaxRelu) return binary<halves<larger_relu<T>, T>, U32, U32, U32>;
  }
  return nullptr;
}

}  // namespace

Handler pick_integer(Integer operation, Type type) {
  switch (type) {
    case Type::kU16:
      return pick<std::uint16_t>(operation);
    case Type::kS16:
      return pick<std::int16_t>(operation);
    case Type::kU32:
      return pick<std::uint32_t>(operation);
    case Type::kS32:
      return pick_s32(operation);
    case Type::kU64:
      return pick<std::uint64_t>(operation);
    case Type::kS64:
      return pick<std::int64_t>(operation);
    case Type::kU16x2:
      return pick_halves<std::uint16_t>(operation);
    case Type::kS16x2:
      return pick_halves<std::int16_t>(operation);
    default:
      return nullptr;
  }
}

}  // namespace run::arithmetic
