// SPDX-License-Identifier: MIT
// Arithmetic with a carry: add.cc, addc, sub.cc, subc, mad.cc, madc; and the dot products of bytes,
// dp4a and dp2a.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/lanes.h"

namespace run::arithmetic {

namespace {

template <class T>
LAB_INLINE T high_product(T a, T b) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>((static_cast<std::int64_t>(a) * b) >> 32);
  } else {
    return static_cast<T>((static_cast<__int128>(a) * b) >> 64);
  }
}
template <>
[[gnu::always_inline]] inline std::uint32_t high_product<std::uint32_t>(std::uint32_t a,
                                                                        std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}
template <>
[[gnu::always_inline]] inline std::uint64_t high_product<std::uint64_t>(std::uint64_t a,
                                                                        std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}

template <Carry operation, class T, bool uses, bool sets>
[[gnu::noinline]] const Op* with_carry(Warp& warp, const Op* op, std::uint32_t lanes) {
  using U = Lane<T>;
  constexpr bool is_mad = operation == Carry::kMadLo || operation == Carry::kMadHi;
  const U* a = row<U>(warp, op->a);
  const U* b = row<U>(warp, op->b);
  const U* c = is_mad ? row<U>(warp, op->c) : b;
  const std::uint32_t carry = uses ? warp.carry : 0;
  std::int32_t carries[32];
  Beside<U> beside;
  Result<U> result(warp, op->d, lanes, beside);
  U* d = result.get();
  LAB_FOR_LANES(i) {
    const U in = (carry & kLaneBits.bit[i]) != 0 ? 1 : 0;
    U first = a[i], second = b[i];
    if constexpr (operation == Carry::kMadLo) {
      first = a[i] * b[i];
      second = c[i];
    } else if constexpr (operation == Carry::kMadHi) {
      first = static_cast<U>(high_product<T>(static_cast<T>(a[i]), static_cast<T>(b[i])));
      second = c[i];
    }
    if constexpr (operation == Carry::kSub) {
      const U difference = first - second;
      carries[i] = ((first < second) | (difference < in)) ? -1 : 0;  // a borrow
      d[i] = difference - in;
    } else {
      const U sum = first + second;
      const U total = sum + in;
      carries[i] = ((sum < first) | (total < in)) ? -1 : 0;
      d[i] = total;
    }
  }
  if constexpr (sets) set_predicate(warp.carry, mask_of(carries), lanes);
  return op + 1;
}

template <Carry operation, class T>
Handler pick(bool uses, bool sets) {
  if (uses)
    return sets ? with_carry<operation, T, true, true> : with_carry<operation, T, true, false>;
  return with_carry<operation, T, false, true>;
}
template <class U, class S>
Handler pick_type(Carry operation, bool is_signed, bool uses, bool sets) {
  switch (operation) {
    case Carry::kAdd:
      return pick<Carry::kAdd, U>(uses, sets);
    case Carry::kSub:
      return pick<Carry::kSub, U>(uses, sets);
    case Carry::kMadLo:
      return pick<Carry::kMadLo, U>(uses, sets);
    case Carry::kMadHi:
      return is_signed ? pick<Carry::kMadHi, S>(uses, sets) : pick<Carry::kMadHi, U>(uses, sets);
  }
  return nullptr;
}

template <class T>
LAB_INLINE std::int32_t part(std::uint32_t word, int index) {
  return static_cast<T>(word >> (8 * sizeof(T) * index));
}
template <class A, class B>
LAB_INLINE std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t sum = c;
  for (int k = 0; k < 4; ++k) sum += static_cast<std::uint32_t>(part<A>(a, k) * part<B>(b, k));
  return sum;
}
template <class A, class B, bool high>
LAB_INLINE std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t sum = c;
  for (int k = 0; k < 2; ++k) {
    sum += static_cast<std::uint32_t>(part<A>(a, k) * part<B>(b, k + (high ? 2 : 0)));
  }
  return sum;
}

}  // namespace

Handler pick_carry(Carry operation, Type type, bool uses, bool sets) {
  switch (type) {
    case Type::kU32:
    case Type::kS32:
      return pick_type<std::uint32_t, std::int32_t>(operation, type == Type::kS32, uses, sets);
    case Type::kU64:
    case Type::kS64:
      return pick_type<std::uint64_t, std::int64_t>(operation, type == Type::kS64, uses, sets);
    default:
      return nullptr;
  }
}

Handler pick_dot(int num_elements, bool a_signed, bool b_signed, bool high) {
  using U = std::uint32_t;
  using U8 = std::uint8_t;
  using S8 = std::int8_t;
  using U16 = std::uint16_t;
  using S16 = std::int16_t;
  if (num_elements == 4) {
    if (a_signed) {
      return b_signed ? ternary<dp4a<S8, S8>, U, U, U, U> : ternary<dp4a<S8, U8>, U, U, U, U>;
    }
    return b_signed ? ternary<dp4a<U8, S8>, U, U, U, U> : ternary<dp4a<U8, U8>, U, U, U, U>;
  }
  if (high) {
    if (a_signed) {
      return b_signed ? ternary<dp2a<S16, S8, true>, U, U, U, U>
                      : ternary<dp2a<S16, U8, true>, U, U, U, U>;
    }
    return b_signed ? ternary<dp2a<U16, S8, true>, U, U, U, U>
                    : ternary<dp2a<U16, U8, true>, U, U, U, U>;
  }
  if (a_signed) {
    return b_signed ? ternary<dp2a<S16, S8, false>, U, U, U, U>
                    : ternary<dp2a<S16, U8, false>, U, U, U, U>;
  }
  return b_signed ? ternary<dp2a<U16, S8, false>, U, U, U, U>
                  : ternary<dp2a<U16, U8, false>, U, U, U, U>;
}

}  // namespace run::arithmetic
