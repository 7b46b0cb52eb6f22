// SPDX-License-Identifier: MIT
// Handlers made of a function of one lane. The loop runs over all 32 lanes without a branch, so
// that the compiler makes vector instructions of it; lanes that do not take part are put back.
#pragma once

#include <cstdint>

#include "code/program.h"
#include "run/warp.h"
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// A loop over the lanes of a warp. Rows are equal or apart, so no lane depends on another.
#if defined(__clang__)
#define LAB_FOR_LANES(i) \
  _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (int i = 0; i < 32; ++i)
#else
#define LAB_FOR_LANES(i) _Pragma("GCC ivdep") for (int i = 0; i < 32; ++i)
#endif

#define LAB_INLINE [[gnu::always_inline]] static inline

namespace run::arithmetic {

using code::Op;

template <bool condition, class A, class B>
struct Either {
  using Type = A;
};
template <class A, class B>
struct Either<false, A, B> {
  using Type = B;
};

// What a lane of a row holds. float and double are themselves, for the compiler's sake.
template <class T>
struct LaneOf {
  using Type = typename Either<sizeof(T) <= 4, std::uint32_t, std::uint64_t>::Type;
};
template <>
struct LaneOf<float> {
  using Type = float;
};
template <>
struct LaneOf<double> {
  using Type = double;
};
template <class T>
using Lane = typename LaneOf<T>::Type;

// The bits of a 16-bit format. A distinct type, so that it chooses its row and its conversions.
struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};
// Two values of 16 bits, the first in the low half.
struct F16x2 {
  std::uint32_t bits;
};
struct BF16x2 {
  std::uint32_t bits;
};

template <class T>
LAB_INLINE T load(Lane<T> lane) {
  return static_cast<T>(lane);
}
template <>
[[gnu::always_inline]] inline F16 load<F16>(std::uint32_t lane) {
  return {static_cast<std::uint16_t>(lane)};
}
template <>
[[gnu::always_inline]] inline BF16 load<BF16>(std::uint32_t lane) {
  return {static_cast<std::uint16_t>(lane)};
}
template <>
[[gnu::always_inline]] inline F16x2 load<F16x2>(std::uint32_t lane) {
  return {lane};
}
template <>
[[gnu::always_inline]] inline BF16x2 load<BF16x2>(std::uint32_t lane) {
  return {lane};
}

template <class T>
LAB_INLINE Lane<T> store(T value) {
  return static_cast<Lane<T>>(value);
}
LAB_INLINE std::uint32_t store(F16 value) { return value.bits; }
LAB_INLINE std::uint32_t store(BF16 value) { return value.bits; }
LAB_INLINE std::uint32_t store(F16x2 value) { return value.bits; }
LAB_INLINE std::uint32_t store(BF16x2 value) { return value.bits; }

template <class T>
LAB_INLINE Lane<T>* row(Warp& warp, std::uint32_t offset) {
  if constexpr (sizeof(T) <= 4) {
    return reinterpret_cast<Lane<T>*>(warp.r32 + offset);
  } else {
    return reinterpret_cast<Lane<T>*>(warp.r64 + offset);
  }
}
LAB_INLINE std::uint32_t& predicate(Warp& warp, std::uint32_t offset) {
  return *reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::byte*>(warp.predicates) + offset);
}

// Whether a handler for `lanes` may write whole rows: the lanes that are left out belong to no
// thread that lives.
LAB_INLINE bool is_whole(const Warp& warp, std::uint32_t lanes) {
  return (lanes | (warp.only & ~warp.lanes)) == ~std::uint32_t{0};
}

inline constexpr struct LaneBits {
  std::uint32_t bit[32];
  constexpr LaneBits() : bit() {
    for (int i = 0; i < 32; ++i) bit[i] = std::uint32_t{1} << i;
  }
} kLaneBits;

// Copies the lanes of `lanes` from `from` to `to`.
template <class T>
[[gnu::noinline]] static void blend(T* to, const T* from, std::uint32_t lanes) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    for (int half = 0; half < 2; ++half) {
      _mm512_mask_storeu_epi32(to + 16 * half, static_cast<__mmask16>(lanes >> 16 * half),
                               _mm512_loadu_si512(from + 16 * half));
    }
  } else {
    for (int part = 0; part < 4; ++part) {
      _mm512_mask_storeu_epi64(to + 8 * part, static_cast<__mmask8>(lanes >> 8 * part),
                               _mm512_loadu_si512(from + 8 * part));
    }
  }
#else
  LAB_FOR_LANES(i) to[i] = (lanes & kLaneBits.bit[i]) != 0 ? from[i] : to[i];
#endif
}

// The row that a handler writes: the register's own, or one next to it that is blended in.
template <class T>
struct Beside {
  alignas(64) Lane<T> lanes[32];
};
template <class T>
class Result {
 public:
  [[gnu::always_inline]] Result(Warp& warp, std::uint32_t offset, std::uint32_t lanes,
                                Beside<T>& beside)
      : register_(row<T>(warp, offset)),
        written_(is_whole(warp, lanes) ? register_ : beside.lanes),
        lanes_(lanes) {}
  [[gnu::always_inline]] ~Result() {
    if (written_ != register_) blend(register_, written_, lanes_);
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  [[gnu::always_inline]] Lane<T>* get() { return written_; }

 private:
  Lane<T>* register_;
  Lane<T>* written_;
  std::uint32_t lanes_;
};

template <auto function, class D, class A>
[[gnu::noinline]] const Op* unary(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Lane<A>* a = row<A>(warp, op->a);
  Beside<D> beside;
  Result<D> result(warp, op->d, lanes, beside);
  Lane<D>* d = result.get();
  LAB_FOR_LANES(i) d[i] = store(static_cast<D>(function(load<A>(a[i]))));
  return op + 1;
}

template <auto function, class D, class A, class B>
[[gnu::noinline]] const Op* binary(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Lane<A>* a = row<A>(warp, op->a);
  const Lane<B>* b = row<B>(warp, op->b);
  Beside<D> beside;
  Result<D> result(warp, op->d, lanes, beside);
  Lane<D>* d = result.get();
  LAB_FOR_LANES(i) d[i] = store(static_cast<D>(function(load<A>(a[i]), load<B>(b[i]))));
  return op + 1;
}

template <auto function, class D, class A, class B, class C>
[[gnu::noinline]] const Op* ternary(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Lane<A>* a = row<A>(warp, op->a);
  const Lane<B>* b = row<B>(warp, op->b);
  const Lane<C>* c = row<C>(warp, op->c);
  Beside<D> beside;
  Result<D> result(warp, op->d, lanes, beside);
  Lane<D>* d = result.get();
  LAB_FOR_LANES(i) {
    d[i] = store(static_cast<D>(function(load<A>(a[i]), load<B>(b[i]), load<C>(c[i]))));
  }
  return op + 1;
}

// The lanes whose word is not zero; each word is 0 or all ones.
LAB_INLINE std::uint32_t mask_of(const std::int32_t* truth) {
  std::uint32_t mask = 0;
#if defined(__AVX512DQ__)
  for (int half = 0; half < 2; ++half) {
    mask |= static_cast<std::uint32_t>(_mm512_movepi32_mask(_mm512_loadu_si512(truth + 16 * half)))
            << 16 * half;
  }
#elif defined(__AVX2__)
  for (int part = 0; part < 4; ++part) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(truth + 8 * part));
    mask |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(words))) << 8 * part;
  }
#elif defined(__SSE2__)
  for (int part = 0; part < 8; ++part) {
    const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(truth + 4 * part));
    mask |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(words))) << 4 * part;
  }
#else
  for (int i = 0; i < 32; ++i) mask |= static_cast<std::uint32_t>(truth[i]) & kLaneBits.bit[i];
#endif
  return mask;
}

// A mask of lanes, of those that `lanes` names; the others keep what they have.
LAB_INLINE void set_predicate(std::uint32_t& to, std::uint32_t mask, std::uint32_t lanes) {
  to = (to & ~lanes) | (mask & lanes);
}

}  // namespace run::arithmetic
