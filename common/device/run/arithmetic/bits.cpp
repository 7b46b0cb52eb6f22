// SPDX-License-Identifier: MIT
// Operations on bits: logic, shifts, fields, counts, permutations of bytes; mov and selp.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/lanes.h"

namespace run::arithmetic {

namespace {

using U16 = std::uint16_t;
using S16 = std::int16_t;
using U32 = std::uint32_t;
using S32 = std::int32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

template <class T>
inline constexpr U32 kBits = 8 * sizeof(T);
template <class T>
inline constexpr bool kIsSigned = static_cast<T>(~T{0}) < T{0};

template <class T>
LAB_INLINE T both(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
LAB_INLINE T either(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
LAB_INLINE T differ(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
LAB_INLINE T inverted(T a) {
  return static_cast<T>(~a);
}
template <class T>
LAB_INLINE T is_zero(T a) {
  return a == 0 ? 1 : 0;
}
template <class T>
LAB_INLINE T same(T a) {
  return a;
}

// Amounts beyond the width shift everything out.
template <class T>
LAB_INLINE T shifted_left(T a, U32 amount) {
  const T shifted = static_cast<T>(a << (amount & (kBits<T> - 1)));
  return amount < kBits<T> ? shifted : T{0};
}
template <class T>
LAB_INLINE T shifted_right(T a, U32 amount) {
  if constexpr (kIsSigned<T>) {
    return static_cast<T>(a >> (amount < kBits<T> ? amount : kBits<T> - 1));
  } else {
    const T shifted = static_cast<T>(a >> (amount & (kBits<T> - 1)));
    return amount < kBits<T> ? shifted : T{0};
  }
}

template <bool left, bool clamps>
LAB_INLINE U32 funnel(U32 a, U32 b, U32 c) {
  const U32 amount = clamps ? (c < 32 ? c : 32) : c & 31;
  const U64 both_words = static_cast<U64>(b) << 32 | a;
  return static_cast<U32>(left ? (both_words << amount) >> 32 : both_words >> amount);
}

// Without __builtin_popcount and similar: these vectorise on every processor.
LAB_INLINE U32 popc32(U32 x) {
  x -= (x >> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f;
  return (x * 0x01010101) >> 24;
}
LAB_INLINE U32 smeared(U32 x) {  // all bits below the highest one set, too
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  return x | x >> 16;
}
template <class T>
LAB_INLINE U32 popc(T a) {
  if constexpr (sizeof(T) == 8) {
    return popc32(static_cast<U32>(a)) + popc32(static_cast<U32>(a >> 32));
  } else {
    return popc32(a);
  }
}
template <class T>
LAB_INLINE U32 clz(T a) {
  if constexpr (sizeof(T) == 8) {
    const U32 high = static_cast<U32>(a >> 32), low = static_cast<U32>(a);
    return high != 0 ? 32 - popc32(smeared(high)) : 64 - popc32(smeared(low));
  } else {
    return 32 - popc32(smeared(a));
  }
}
template <class T, bool as_shift>
LAB_INLINE U32 bfind(T a) {
  using Unsigned = typename Either<sizeof(T) == 8, U64, U32>::Type;
  const Unsigned bits = static_cast<Unsigned>(a < 0 ? ~a : a);
  const U32 zeros = clz<Unsigned>(bits);
  return zeros == kBits<T> ? ~U32{0} : (as_shift ? zeros : kBits<T> - 1 - zeros);
}
LAB_INLINE U32 reversed32(U32 x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
  return x >> 16 | x << 16;
}
template <class T>
LAB_INLINE T brev(T a) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(reversed32(static_cast<U32>(a))) << 32 |
           reversed32(static_cast<U32>(a >> 32));
  } else {
    return reversed32(a);
  }
}

// The low `count` bits; all of them from the width on.
template <class T>
LAB_INLINE T low_mask(U32 count) {
  return static_cast<T>(~shifted_left<T>(static_cast<T>(~T{0}), count));
}
// A position or a length. The hardware reads 8 bits of it; ptxas makes the instructions of 64 bits
// of others, which read all.
template <class T>
LAB_INLINE U32 field_number(U32 number) {
  if constexpr (sizeof(T) == 4) return number & 0xff;
  return number < 64 ? number : 64;
}
template <class T>
LAB_INLINE T bfe(T a, U32 position, U32 length) {
  using Unsigned = typename Either<sizeof(T) == 8, U64, U32>::Type;
  const U32 from = field_number<T>(position), count = field_number<T>(length);
  const Unsigned bits = static_cast<Unsigned>(a);
  const Unsigned mask = low_mask<Unsigned>(count);
  const Unsigned field = shifted_right<Unsigned>(bits, from) & mask;
  if constexpr (!kIsSigned<T>) return field;
  // Above the field, and above the number's own end: the field's highest bit.
  const U32 last = from + count - 1 < kBits<T> - 1 ? from + count - 1 : kBits<T> - 1;
  const bool is_set = count != 0 && (bits >> (last & (kBits<T> - 1)) & 1) != 0;
  const U32 present = from < kBits<T> ? kBits<T> - from : 0;
  const Unsigned filled = low_mask<Unsigned>(count < present ? count : present);
  return static_cast<T>(is_set ? field | ~filled : field);
}
template <class T>
LAB_INLINE T bfi(T a, T b, U32 position, U32 length) {
  const U32 to = field_number<T>(position);
  const T mask = shifted_left<T>(low_mask<T>(field_number<T>(length)), to);
  return static_cast<T>((shifted_left<T>(a, to) & mask) | (b & ~mask));
}

LAB_INLINE U32 fns(U32 mask, U32 base, S32 offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : ~U32{0};
  const S32 step = offset > 0 ? 1 : -1;
  U32 left = static_cast<U32>(offset > 0 ? offset : -static_cast<S64>(offset));
  for (S64 at = base; at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<U32>(at);
  }
  return ~U32{0};
}

template <bool clamps>
LAB_INLINE U32 bmsk(U32 position, U32 width) {
  if (clamps && position >= 32) return 0;
  const U32 first = position & 31;
  const U32 count = clamps ? width : width & 31;
  return low_mask<U32>(count) << first;
}
template <class T, bool clamps>
LAB_INLINE U32 szext(U32 a, U32 width) {
  const U32 count = clamps ? width : width & 31;
  const U32 mask = low_mask<U32>(count);
  const bool is_negative = kIsSigned<T> && count - 1 < 31 && (a >> ((count - 1) & 31) & 1) != 0;
  return is_negative ? a | ~mask : a & mask;
}

// Byte `index` of b:a; with bit 3 set, its sign in all bits.
LAB_INLINE U32 byte_at(U64 bytes, U32 index) {
  const U32 byte = static_cast<U32>(bytes >> (8 * (index & 7))) & 0xff;
  const U32 sign = byte >= 0x80 ? 0xff : 0;
  return (index & 8) != 0 ? sign : byte;
}
template <Bits mode>
LAB_INLINE U32 prmt(U32 a, U32 b, U32 c) {
  const U64 bytes = static_cast<U64>(b) << 32 | a;
  const U32 n = c & 3;
  U32 index[4];
  for (U32 k = 0; k < 4; ++k) {
    switch (mode) {
      case Bits::kPrmt:
        index[k] = c >> 4 * k & 15;
        break;
      case Bits::kPrmtF4e:
        index[k] = n + k;
        break;
      case Bits::kPrmtB4e:
        index[k] = (n - k) & 7;
        break;
      case Bits::kPrmtRc8:
        index[k] = n;
        break;
      case Bits::kPrmtEcl:
        index[k] = k > n ? k : n;
        break;
      case Bits::kPrmtEcr:
        index[k] = k < n ? k : n;
        break;
      default:
        index[k] = 2 * (n & 1) + (k & 1);
    }
  }
  return byte_at(bytes, index[0]) | byte_at(bytes, index[1]) << 8 | byte_at(bytes, index[2]) << 16 |
         byte_at(bytes, index[3]) << 24;
}

// The table has bit 4 * a + 2 * b + c. As eight terms it costs the same for every table.
[[gnu::noinline]] const Op* lop3(Warp& warp, const Op* op, std::uint32_t lanes) {
  const U32* a = row<U32>(warp, op->a);
  const U32* b = row<U32>(warp, op->b);
  const U32* c = row<U32>(warp, op->c);
  U32 term[8];
  for (int k = 0; k < 8; ++k) term[k] = (op->immediate >> k & 1) != 0 ? ~U32{0} : 0;
  Beside<U32> beside;
  Result<U32> result(warp, op->d, lanes, beside);
  U32* d = result.get();
  LAB_FOR_LANES(i) {
    const U32 x = a[i], y = b[i], z = c[i];
    const U32 without =
        (~y & ((~z & term[0]) | (z & term[1]))) | (y & ((~z & term[2]) | (z & term[3])));
    const U32 with =
        (~y & ((~z & term[4]) | (z & term[5]))) | (y & ((~z & term[6]) | (z & term[7])));
    d[i] = (~x & without) | (x & with);
  }
  return op + 1;
}

template <class T>
[[gnu::noinline]] const Op* bit_field_insert(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Lane<T>* a = row<T>(warp, op->a);
  const Lane<T>* b = row<T>(warp, op->b);
  const U32* position = row<U32>(warp, op->c);
  const U32* length = row<U32>(warp, static_cast<U32>(op->immediate));
  Beside<T> beside;
  Result<T> result(warp, op->d, lanes, beside);
  Lane<T>* d = result.get();
  LAB_FOR_LANES(i) d[i] = bfi<T>(a[i], b[i], position[i], length[i]);
  return op + 1;
}

template <class T>
[[gnu::noinline]] const Op* select(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Lane<T>* a = row<T>(warp, op->a);
  const Lane<T>* b = row<T>(warp, op->b);
  const U32 chosen = predicate(warp, op->c) ^ static_cast<U32>(-op->immediate);
  Beside<T> beside;
  Result<T> result(warp, op->d, lanes, beside);
  Lane<T>* d = result.get();
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    for (int half = 0; half < 2; ++half) {
      const __mmask16 mask = static_cast<__mmask16>(chosen >> 16 * half);
      _mm512_storeu_si512(d + 16 * half,
                          _mm512_mask_blend_epi32(mask, _mm512_loadu_si512(b + 16 * half),
                                                  _mm512_loadu_si512(a + 16 * half)));
    }
    return op + 1;
  }
#endif
  LAB_FOR_LANES(i) d[i] = (chosen & kLaneBits.bit[i]) != 0 ? a[i] : b[i];
  return op + 1;
}

template <class T>
Handler pick(Bits operation) {
  switch (operation) {
    case Bits::kAnd:
      return binary<both<T>, T, T, T>;
    case Bits::kOr:
      return binary<either<T>, T, T, T>;
    case Bits::kXor:
      return binary<differ<T>, T, T, T>;
    case Bits::kNot:
      return unary<inverted<T>, T, T>;
    case Bits::kCnot:
      return unary<is_zero<T>, T, T>;
    case Bits::kShl:
      return binary<shifted_left<T>, T, T, U32>;
    case Bits::kShr:
      return binary<shifted_right<T>, T, T, U32>;
    default:
      break;
  }
  if constexpr (sizeof(T) >= 4) {
    if (operation == Bits::kMove) return unary<same<T>, T, T>;
    if (operation == Bits::kSelect) return select<T>;
    if (operation == Bits::kPopc) return unary<popc<T>, U32, T>;
    if (operation == Bits::kClz) return unary<clz<T>, U32, T>;
    if (operation == Bits::kBfind) return unary<bfind<T, false>, U32, T>;
    if (operation == Bits::kBfindShift) return unary<bfind<T, true>, U32, T>;
    if (operation == Bits::kBrev) return unary<brev<T>, T, T>;
    if (operation == Bits::kBfe) return ternary<bfe<T>, T, T, U32, U32>;
    if (operation == Bits::kBfi) return bit_field_insert<T>;
  }
  return nullptr;
}

template <class T>
Handler pick_signed(Bits operation) {
  if (operation == Bits::kShr) return binary<shifted_right<T>, T, T, U32>;
  if constexpr (sizeof(T) >= 4) {
    if (operation == Bits::kBfind) return unary<bfind<T, false>, U32, T>;
    if (operation == Bits::kBfindShift) return unary<bfind<T, true>, U32, T>;
    if (operation == Bits::kBfe) return ternary<bfe<T>, T, T, U32, U32>;
  }
  if constexpr (sizeof(T) == 4) {
    if (operation == Bits::kSzextClamp) return binary<szext<T, true>, U32, U32, U32>;
    if (operation == Bits::kSzextWrap) return binary<szext<T, false>, U32, U32, U32>;
  }
  return nullptr;
}

Handler pick_32(Bits operation) {
  switch (operation) {
    case Bits::kLop3:
      return lop3;
    case Bits::kFunnelLeftClamp:
      return ternary<funnel<true, true>, U32, U32, U32, U32>;
    case Bits::kFunnelLeftWrap:
      return ternary<funnel<true, false>, U32, U32, U32, U32>;
    case Bits::kFunnelRightClamp:
      return ternary<funnel<false, true>, U32, U32, U32, U32>;
    case Bits::kFunnelRightWrap:
      return ternary<funnel<false, false>, U32, U32, U32, U32>;
    case Bits::kFns:
      return ternary<fns, U32, U32, U32, S32>;
    case Bits::kBmskClamp:
      return binary<bmsk<true>, U32, U32, U32>;
    case Bits::kBmskWrap:
      return binary<bmsk<false>, U32, U32, U32>;
    case Bits::kSzextClamp:
      return binary<szext<U32, true>, U32, U32, U32>;
    case Bits::kSzextWrap:
      return binary<szext<U32, false>, U32, U32, U32>;
    case Bits::kPrmt:
      return ternary<prmt<Bits::kPrmt>, U32, U32, U32, U32>;
    case Bits::kPrmtF4e:
      return ternary<prmt<Bits::kPrmtF4e>, U32, U32, U32, U32>;
    case Bits::kPrmtB4e:
      return ternary<prmt<Bits::kPrmtB4e>, U32, U32, U32, U32>;
    case Bits::kPrmtRc8:
      return ternary<prmt<Bits::kPrmtRc8>, U32, U32, U32, U32>;
    case Bits::kPrmtEcl:
      return ternary<prmt<Bits::kPrmtEcl>, U32, U32, U32, U32>;
    case Bits::kPrmtEcr:
      return ternary<prmt<Bits::kPrmtEcr>, U32, U32, U32, U32>;
    case Bits::kPrmtRc16:
      return ternary<prmt<Bits::kPrmtRc16>, U32, U32, U32, U32>;
    default:
      return pick<U32>(operation);
  }
}

}  // namespace

// Types without a sign stand for .b and .u of their size.
Handler pick_bits(Bits operation, Type type) {
  switch (type) {
    case Type::kB16:
      return pick<U16>(operation);
    case Type::kB32:
      return pick_32(operation);
    case Type::kB64:
      return pick<U64>(operation);
    case Type::kS16:
      return pick_signed<S16>(operation);
    case Type::kS32:
      return pick_signed<S32>(operation);
    case Type::kS64:
      return pick_signed<S64>(operation);
    default:
      return nullptr;
  }
}

}  // namespace run::arithmetic
