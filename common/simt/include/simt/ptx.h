// SPDX-License-Identifier: MIT
// What inline PTX is rewritten to: see rewriter/ptx_instructions.cpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "simt/address_space.h"
#include "simt/async_copy.h"
#include "simt/atomic_access.h"
#include "simt/device.h"
#include "simt/float16.h"
#include "simt/float16x2.h"
#include "simt/integer_intrinsics.h"
#include "simt/limits.h"
#include "simt/rounding.h"
#include "simt/simd_intrinsics.h"

namespace simt {

// Ends the kernel with a finding: the emulator does not know this instruction.
void unknown_ptx(const char* instruction);

namespace ptx {

using Half = Float16<HalfFormat>;
using Half2 = Float16x2<HalfFormat>;
using Bfloat = Float16<BfloatFormat>;
using Bfloat2 = Float16x2<BfloatFormat>;

int multiprocessor_id();
SIMT_INLINE unsigned warp_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / kWarpSize;
}

template <std::size_t size_bytes>
using Bits = std::conditional_t<
    size_bytes == 1, std::uint8_t,
    std::conditional_t<size_bytes == 2, std::uint16_t,
                       std::conditional_t<size_bytes == 4, std::uint32_t, std::uint64_t>>>;

// A register of any type: up to 64 bits.
struct Register {
  std::uint64_t bits;

  template <class T>
  SIMT_INLINE T get() const {
    if constexpr (std::is_same_v<T, bool>) {
      return bits != 0;
    } else {
      return __builtin_bit_cast(T, static_cast<Bits<sizeof(T)>>(bits));
    }
  }
  template <class T>
  SIMT_INLINE void set(std::type_identity_t<T> value) {
    bits = __builtin_bit_cast(Bits<sizeof(T)>, value);
  }

  // An operand of the constraint whose registers have the type T.
  template <class T, class Value>
  SIMT_INLINE void take(const Value& value) {
    if constexpr (std::is_pointer_v<std::decay_t<const Value>>) {
      const std::decay_t<const Value> pointer = value;
      bits = reinterpret_cast<std::uintptr_t>(pointer);
    } else if constexpr (std::is_class_v<Value> || std::is_enum_v<Value>) {
      bits = __builtin_bit_cast(Bits<sizeof(Value)>, value);
    } else {
      set<T>(static_cast<T>(value));
    }
  }
  template <class T>
  SIMT_INLINE void give(T& destination) const {
    destination = get<std::remove_cv_t<T>>();
  }
};

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int, unsigned>,
                       std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;
// One of `count` parts of an integer.
template <class T, int count>
using Part = Bits<sizeof(T) / count>;

template <class T, int count>
struct alignas(sizeof(T) * count) Vector {
  T x[count];
};

// Memory.
template <class T>
SIMT_INLINE T* pointer(unsigned long long address, long long offset) {
  return reinterpret_cast<T*>(address + static_cast<unsigned long long>(offset));
}
template <class T>
SIMT_INLINE T* shared_pointer(unsigned long long address, long long offset) {
  return static_cast<T*>(
      __cvta_shared_to_generic(address + static_cast<unsigned long long>(offset)));
}
SIMT_INLINE unsigned long long to_shared(unsigned long long address) {
  return __cvta_generic_to_shared(reinterpret_cast<const void*>(address));
}
SIMT_INLINE unsigned long long from_shared(unsigned long long address) {
  return reinterpret_cast<std::uintptr_t>(__cvta_shared_to_generic(address));
}
SIMT_INLINE bool is_global(unsigned long long address) {
  return __isGlobal(reinterpret_cast<const void*>(address)) != 0;
}
SIMT_INLINE bool is_shared(unsigned long long address) {
  return __isShared(reinterpret_cast<const void*>(address)) != 0;
}
SIMT_INLINE bool is_local(unsigned long long address) {
  return __isLocal(reinterpret_cast<const void*>(address)) != 0;
}
SIMT_INLINE bool is_const(unsigned long long) { return false; }

template <class T>
SIMT_INLINE T atomic_load(const T* address, Ordering ordering) {
  using U = Bits<sizeof(T)>;
  return __builtin_bit_cast(T, simt::atomic_load<U>(reinterpret_cast<const U*>(address), ordering));
}
template <class T>
SIMT_INLINE void atomic_store(T* address, T value, Ordering ordering) {
  using U = Bits<sizeof(T)>;
  simt::atomic_store<U>(reinterpret_cast<U*>(address), __builtin_bit_cast(U, value), ordering);
}
template <class T>
SIMT_INLINE T compare_and_swap(T* address, T expected, T desired, Ordering ordering) {
  using U = Bits<sizeof(T)>;
  return __builtin_bit_cast(
      T, atomic_compare_exchange<U>(reinterpret_cast<U*>(address), __builtin_bit_cast(U, expected),
                                    __builtin_bit_cast(U, desired), ordering));
}

// Copies used_bytes, and zeros for the rest.
SIMT_INLINE void copy_async(void* to, const void* from, unsigned size_bytes, unsigned used_bytes) {
  check_copy(to, from, size_bytes, size_bytes - used_bytes);
  if (used_bytes == size_bytes) {
    copy_share<Arrival::kLater>(to, from, size_bytes);
    return;
  }
  for (unsigned i = 0; i < size_bytes; ++i) {
    static_cast<unsigned char*>(to)[i] =
        i < used_bytes ? static_cast<const unsigned char*>(from)[i] : static_cast<unsigned char>(0);
  }
  begin_copy(to, size_bytes);
}

// Arithmetic. Integers wrap around.
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
template <class T>
SIMT_INLINE T saturated(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
  } else {
    return x;
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

// Bits.
template <class T>
SIMT_INLINE T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
SIMT_INLINE T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
SIMT_INLINE T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
SIMT_INLINE T bit_not(T a) {
  if constexpr (std::is_same_v<T, bool>) {
    return !a;
  } else {
    return static_cast<T>(~a);
  }
}
template <class T>
SIMT_INLINE T is_zero(T a) {
  return static_cast<T>(a == 0);
}
template <class T>
SIMT_INLINE T shift_left(T a, unsigned count) {
  return count >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<Unsigned<T>>(a) << count);
}
template <class T>
SIMT_INLINE T shift_right(T a, unsigned count) {
  constexpr unsigned kMost = 8 * sizeof(T) - 1;
  if (count > kMost) return std::is_signed_v<T> ? static_cast<T>(a >> kMost) : T(0);
  return static_cast<T>(a >> count);
}
SIMT_INLINE unsigned funnel(unsigned low, unsigned high, unsigned count, bool leftwards) {
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(leftwards ? (both << count) >> 32 : both >> count);
}
SIMT_INLINE unsigned funnel_left(unsigned low, unsigned high, unsigned count) {
  return funnel(low, high, count & 31, true);
}
SIMT_INLINE unsigned funnel_right(unsigned low, unsigned high, unsigned count) {
  return funnel(low, high, count & 31, false);
}
SIMT_INLINE unsigned funnel_left_clamp(unsigned low, unsigned high, unsigned count) {
  return funnel(low, high, count < 32 ? count : 32, true);
}
SIMT_INLINE unsigned funnel_right_clamp(unsigned low, unsigned high, unsigned count) {
  return funnel(low, high, count < 32 ? count : 32, false);
}
// Bits beyond the word are the field's sign, or 0.
template <class T>
SIMT_INLINE T bfe(T a, unsigned position, unsigned length) {
  constexpr unsigned kBits = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (length == 0) return 0;
  const unsigned last = position + length - 1 < kBits - 1 ? position + length - 1 : kBits - 1;
  const bool is_negative = std::is_signed_v<T> && ((static_cast<Unsigned<T>>(a) >> last) & 1) != 0;
  Unsigned<T> field = shift_right<Unsigned<T>>(static_cast<Unsigned<T>>(a), position);
  const unsigned kept = position > last ? 0 : last - position + 1;
  const Unsigned<T> mask = subtract<Unsigned<T>>(shift_left<Unsigned<T>>(1, kept), 1);
  field &= mask;
  return static_cast<T>(is_negative ? static_cast<Unsigned<T>>(field | ~mask) : field);
}
template <class T>
SIMT_INLINE T bfi(T field, T into, unsigned position, unsigned length) {
  position &= 0xff;
  length &= 0xff;
  const T mask = shift_left<T>(subtract<T>(shift_left<T>(1, length), 1), position);
  return static_cast<T>((shift_left<T>(field, position) & mask) | (into & ~mask));
}
template <class T>
SIMT_INLINE unsigned count_ones(T a) {
  return static_cast<unsigned>(__builtin_popcountll(static_cast<Unsigned<T>>(a)));
}
template <class T>
SIMT_INLINE unsigned leading_zeros(T a) {
  const auto bits = static_cast<Unsigned<T>>(a);
  constexpr unsigned kBits = 8 * sizeof(T);
  return bits == 0 ? kBits : static_cast<unsigned>(__builtin_clzll(bits)) - (64 - kBits);
}
// The highest bit that is not the sign; all ones if there is none.
template <class T>
SIMT_INLINE unsigned find_bit(T a, bool as_shift) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
  if (bits == 0) return 0xffffffffu;
  const unsigned zeros = leading_zeros(bits);
  return as_shift ? zeros : kBits - 1 - zeros;
}
template <class T>
SIMT_INLINE T reversed(T a) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__brevll(static_cast<unsigned long long>(a)));
  } else {
    return static_cast<T>(__brev(static_cast<unsigned>(a)));
  }
}
// A selector's highest bit copies the byte's sign over the byte.
SIMT_INLINE unsigned permute(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i);
    unsigned byte = static_cast<unsigned>(both >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
// Bit i of the table says what becomes of three bits that are together the number i.
SIMT_INLINE unsigned logic(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  if ((table & 0x01) != 0) result |= ~a & ~b & ~c;
  if ((table & 0x02) != 0) result |= ~a & ~b & c;
  if ((table & 0x04) != 0) result |= ~a & b & ~c;
  if ((table & 0x08) != 0) result |= ~a & b & c;
  if ((table & 0x10) != 0) result |= a & ~b & ~c;
  if ((table & 0x20) != 0) result |= a & ~b & c;
  if ((table & 0x40) != 0) result |= a & b & ~c;
  if ((table & 0x80) != 0) result |= a & b & c;
  return result;
}

// Conversions. is_whole: a float to an integer's value, as float.
template <class To, class From>
SIMT_INLINE To convert(From value, Rounding rounding, bool is_whole, bool saturates) {
  constexpr bool kFromFloat = !std::is_integral_v<From>;
  constexpr bool kToFloat = !std::is_integral_v<To>;
  if constexpr (kFromFloat && kToFloat) {
    auto x = static_cast<double>(value);
    if (is_whole) {
      x = rounding == Rounding::kZero   ? std::trunc(x)
          : rounding == Rounding::kDown ? std::floor(x)
          : rounding == Rounding::kUp   ? std::ceil(x)
                                        : std::nearbyint(x);
    }
    if (saturates) x = saturated(x);
    if constexpr (std::is_same_v<To, double>) {
      return x;
    } else if constexpr (std::is_same_v<To, float>) {
      return to_float(rounding, x);
    } else {
      return To::rounded(x, rounding);
    }
  } else if constexpr (kFromFloat) {  // out of range: the nearest limit
    using Whole = std::conditional_t<sizeof(To) == 8, To,
                                     std::conditional_t<std::is_signed_v<To>, int, unsigned>>;
    const Whole whole = to_integer<Whole>(rounding, static_cast<double>(value));
    if constexpr (sizeof(To) < 4) {
      const Whole low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
      return static_cast<To>(whole < low ? low : whole > high ? high : whole);
    } else {
      return whole;
    }
  } else if constexpr (kToFloat) {
    using Whole = std::conditional_t<std::is_signed_v<From>, long long, unsigned long long>;
    if constexpr (std::is_same_v<To, double>) {
      return to_double(rounding, static_cast<Whole>(value));
    } else if constexpr (std::is_same_v<To, float>) {
      return to_float(rounding, static_cast<Whole>(value));
    } else {
      return To::rounded(static_cast<double>(value), rounding);
    }
  } else {
    if (!saturates) return static_cast<To>(value);
    const auto wide = static_cast<__int128>(value);
    const __int128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(wide < low ? low : wide > high ? high : wide);
  }
}

// shfl: `limits` holds the segment's mask and the last lane that may be read, as PTX has them.
enum class Shuffle { up, down, bfly, idx };
SIMT_INLINE unsigned shuffle(Shuffle mode, unsigned value, unsigned operand, unsigned limits,
                             unsigned mask, bool* is_inside) {
  const int lane = lane_id();
  const int segment = static_cast<int>((limits >> 8) & 31), clamp = static_cast<int>(limits & 31);
  const int first = lane & segment, last = first | (clamp & ~segment);
  const int b = static_cast<int>(operand & 31);
  const int source = mode == Shuffle::up     ? lane - b
                     : mode == Shuffle::down ? lane + b
                     : mode == Shuffle::bfly ? lane ^ b
                                             : first | (b & ~segment);
  *is_inside = mode == Shuffle::up ? source >= last : source <= last;
  return simt::shuffle(mask, value, *is_inside ? source : lane);
}

}  // namespace ptx
}  // namespace simt
