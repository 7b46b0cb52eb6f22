// SPDX-License-Identifier: MIT
// Comparisons: setp, set, testp; and logic of predicates.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/number.h"

namespace run::arithmetic {

namespace {

// Ordered comparisons, ne among them, do not hold for a NaN; those with `u` do.
template <Compare comparison, class T>
LAB_INLINE bool holds(T a, T b) {
  switch (comparison) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return (a < b) | (a > b);
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    case Compare::kGe:
      return a >= b;
    case Compare::kEqu:
      return !((a < b) | (a > b));
    case Compare::kNeu:
      return a != b;
    case Compare::kLtu:
      return !(a >= b);
    case Compare::kLeu:
      return !(a > b);
    case Compare::kGtu:
      return !(a <= b);
    case Compare::kGeu:
      return !(a < b);
    case Compare::kNum:
      return (a == a) & (b == b);
    case Compare::kNan:
      return (a != a) | (b != b);
  }
  return false;
}

struct Plain {
  template <class T>
  LAB_INLINE T read(Lane<T> lane) {
    return load<T>(lane);
  }
};
struct Flushed {
  template <class T>
  LAB_INLINE float read(float lane) {
    return flushed(lane);
  }
};
// Halves: kShift is 0 or 16.
template <class H, int shift, bool ftz>
struct Half {
  template <class T>
  LAB_INLINE float read(std::uint32_t lane) {
    const std::uint16_t bits = static_cast<std::uint16_t>(lane >> shift);
    if constexpr (ftz) {
      return widen(H{static_cast<std::uint16_t>((bits & 0x7c00) == 0 ? bits & 0x8000 : bits)});
    }
    return widen(H{bits});
  }
};

template <Compare comparison, class T, class Reader>
std::uint32_t mask(Warp& warp, const Op* op) {
  const Lane<T>* a = row<T>(warp, op->a);
  const Lane<T>* b = row<T>(warp, op->b);
  alignas(64) std::int32_t truth[32];
  LAB_FOR_LANES(i) {
    truth[i] =
        holds<comparison>(Reader::template read<T>(a[i]), Reader::template read<T>(b[i])) ? -1 : 0;
  }
  return mask_of(truth);
}

template <Compare comparison, class T, class Reader>
const Op* setp(Warp& warp, const Op* op, std::uint32_t lanes) {
  set_predicate(predicate(warp, op->d), mask<comparison, T, Reader>(warp, op), lanes);
  return op + 1;
}

template <Compare comparison, class T, class Reader, class Second = Reader>
Comparer made() {
  Comparer comparer;
  comparer.mask = mask<comparison, T, Reader>;
  comparer.plain = setp<comparison, T, Reader>;
  if constexpr (!__is_same(Reader, Second)) comparer.second_mask = mask<comparison, T, Second>;
  return comparer;
}

template <class T>
Comparer pick_integer(Compare comparison) {
  switch (comparison) {
    case Compare::kEq:
      return made<Compare::kEq, T, Plain>();
    case Compare::kNe:
      return made<Compare::kNeu, T, Plain>();
    case Compare::kLt:
      return made<Compare::kLt, T, Plain>();
    case Compare::kLe:
      return made<Compare::kLe, T, Plain>();
    case Compare::kGt:
      return made<Compare::kGt, T, Plain>();
    case Compare::kGe:
      return made<Compare::kGe, T, Plain>();
    default:
      return {};
  }
}

template <class T, class Reader, class Second = Reader>
Comparer pick_float(Compare comparison) {
  switch (comparison) {
    case Compare::kEq:
      return made<Compare::kEq, T, Reader, Second>();
    case Compare::kNe:
      return made<Compare::kNe, T, Reader, Second>();
    case Compare::kLt:
      return made<Compare::kLt, T, Reader, Second>();
    case Compare::kLe:
      return made<Compare::kLe, T, Reader, Second>();
    case Compare::kGt:
      return made<Compare::kGt, T, Reader, Second>();
    case Compare::kGe:
      return made<Compare::kGe, T, Reader, Second>();
    case Compare::kEqu:
      return made<Compare::kEqu, T, Reader, Second>();
    case Compare::kNeu:
      return made<Compare::kNeu, T, Reader, Second>();
    case Compare::kLtu:
      return made<Compare::kLtu, T, Reader, Second>();
    case Compare::kLeu:
      return made<Compare::kLeu, T, Reader, Second>();
    case Compare::kGtu:
      return made<Compare::kGtu, T, Reader, Second>();
    case Compare::kGeu:
      return made<Compare::kGeu, T, Reader, Second>();
    case Compare::kNum:
      return made<Compare::kNum, T, Reader, Second>();
    case Compare::kNan:
      return made<Compare::kNan, T, Reader, Second>();
  }
  return {};
}

LAB_INLINE std::uint32_t combined(const CompareRows& rows, std::uint32_t mask, std::uint32_t with) {
  switch (rows.combine) {
    case Combine::kNone:
      return mask;
    case Combine::kAnd:
      return mask & with;
    case Combine::kOr:
      return mask | with;
    case Combine::kXor:
      return mask ^ with;
  }
  return mask;
}
LAB_INLINE std::uint32_t combined_with(Warp& warp, const CompareRows& rows) {
  if (rows.combine == Combine::kNone) return ~std::uint32_t{0};
  return predicate(warp, rows.with) ^ (rows.is_negated ? ~std::uint32_t{0} : 0);
}

template <TestFloat test, class U, int stored>
LAB_INLINE bool is(U bits) {
  constexpr U kInfinity = (~U{0} >> 1) >> stored << stored;
  const U magnitude = bits & (~U{0} >> 1);
  switch (test) {
    case TestFloat::kFinite:
      return magnitude < kInfinity;
    case TestFloat::kInfinite:
      return magnitude == kInfinity;
    case TestFloat::kNumber:
      return magnitude <= kInfinity;
    case TestFloat::kNotANumber:
      return magnitude > kInfinity;
    case TestFloat::kNormal:
      return magnitude < kInfinity && (magnitude == 0 || magnitude >= U{1} << stored);
    case TestFloat::kSubnormal:
      return magnitude != 0 && magnitude < U{1} << stored;
  }
  return false;
}
template <TestFloat test, class U, int stored>
const Op* testp(Warp& warp, const Op* op, std::uint32_t lanes) {
  const U* a = row<U>(warp, op->a);
  alignas(64) std::int32_t truth[32];
  LAB_FOR_LANES(i) truth[i] = is<test, U, stored>(a[i]) ? -1 : 0;
  set_predicate(predicate(warp, op->d), mask_of(truth), lanes);
  return op + 1;
}
template <class U, int stored>
Handler pick_test_of(TestFloat test) {
  switch (test) {
    case TestFloat::kFinite:
      return testp<TestFloat::kFinite, U, stored>;
    case TestFloat::kInfinite:
      return testp<TestFloat::kInfinite, U, stored>;
    case TestFloat::kNumber:
      return testp<TestFloat::kNumber, U, stored>;
    case TestFloat::kNotANumber:
      return testp<TestFloat::kNotANumber, U, stored>;
    case TestFloat::kNormal:
      return testp<TestFloat::kNormal, U, stored>;
    case TestFloat::kSubnormal:
      return testp<TestFloat::kSubnormal, U, stored>;
  }
  return nullptr;
}

}  // namespace

Handler pick_test(TestFloat test, Type type) {
  if (type == Type::kF32) return pick_test_of<std::uint32_t, 23>(test);
  return type == Type::kF64 ? pick_test_of<std::uint64_t, 52>(test) : nullptr;
}

const Op* run_setp(Warp& warp, const Op* op, std::uint32_t lanes) {
  const CompareRows& rows = *static_cast<const CompareRows*>(op->details);
  const std::uint32_t mask = rows.mask(warp, op);
  const std::uint32_t with = combined_with(warp, rows);
  // Without a second comparison the second destination gets the opposite of the first.
  const std::uint32_t other = rows.second_mask != nullptr ? rows.second_mask(warp, op) : ~mask;
  set_predicate(predicate(warp, op->d), combined(rows, mask, with), lanes);
  if (rows.has_second) {
    set_predicate(predicate(warp, rows.second), combined(rows, other, with), lanes);
  }
  return op + 1;
}

const Op* run_set(Warp& warp, const Op* op, std::uint32_t lanes) {
  const CompareRows& rows = *static_cast<const CompareRows*>(op->details);
  const std::uint32_t mask = combined(rows, rows.mask(warp, op), combined_with(warp, rows));
  Beside<std::uint32_t> beside;
  Result<std::uint32_t> result(warp, op->d, lanes, beside);
  std::uint32_t* d = result.get();
  const std::uint32_t bits = rows.true_bits;
  LAB_FOR_LANES(i) d[i] = (mask & kLaneBits.bit[i]) != 0 ? bits : 0;
  return op + 1;
}

const Op* run_set_halves(Warp& warp, const Op* op, std::uint32_t lanes) {
  const CompareRows& rows = *static_cast<const CompareRows*>(op->details);
  const std::uint32_t with = combined_with(warp, rows);
  const std::uint32_t low = combined(rows, rows.mask(warp, op), with);
  const std::uint32_t high = combined(rows, rows.second_mask(warp, op), with);
  Beside<std::uint32_t> beside;
  Result<std::uint32_t> result(warp, op->d, lanes, beside);
  std::uint32_t* d = result.get();
  const std::uint32_t bits = rows.true_bits;
  LAB_FOR_LANES(i) {
    d[i] = ((low & kLaneBits.bit[i]) != 0 ? bits : 0) |
           ((high & kLaneBits.bit[i]) != 0 ? bits << 16 : 0);
  }
  return op + 1;
}

Comparer pick_compare(Compare comparison, Type type, bool ftz) {
  switch (type) {
    case Type::kU16:
      return pick_integer<std::uint16_t>(comparison);
    case Type::kS16:
      return pick_integer<std::int16_t>(comparison);
    case Type::kU32:
      return pick_integer<std::uint32_t>(comparison);
    case Type::kS32:
      return pick_integer<std::int32_t>(comparison);
    case Type::kU64:
      return pick_integer<std::uint64_t>(comparison);
    case Type::kS64:
      return pick_integer<std::int64_t>(comparison);
    case Type::kF32:
      return ftz ? pick_float<float, Flushed>(comparison) : pick_float<float, Plain>(comparison);
    case Type::kF64:
      return pick_float<double, Plain>(comparison);
    case Type::kF16:
      return ftz ? pick_float<F16, Half<F16, 0, true>>(comparison)
                 : pick_float<F16, Half<F16, 0, false>>(comparison);
    case Type::kBF16:
      return pick_float<BF16, Half<BF16, 0, false>>(comparison);
    case Type::kF16x2:
      return ftz ? pick_float<F16, Half<F16, 0, true>, Half<F16, 16, true>>(comparison)
                 : pick_float<F16, Half<F16, 0, false>, Half<F16, 16, false>>(comparison);
    case Type::kBF16x2:
      return pick_float<BF16, Half<BF16, 0, false>, Half<BF16, 16, false>>(comparison);
    default:
      return {};
  }
}

namespace {

LAB_INLINE std::uint32_t source(Warp& warp, std::uint32_t offset, bool is_negated) {
  return predicate(warp, offset) ^ (is_negated ? ~std::uint32_t{0} : 0);
}

// op.immediate: bit 0, 1, 2: a, b, c is negated.
template <Bits operation>
const Op* logic(Warp& warp, const Op* op, std::uint32_t lanes) {
  const std::uint32_t a = source(warp, op->a, (op->immediate & 1) != 0);
  std::uint32_t value = a;
  if constexpr (operation == Bits::kNot || operation == Bits::kCnot) {
    value = ~a;
  } else if constexpr (operation != Bits::kMove) {
    const std::uint32_t b = source(warp, op->b, (op->immediate & 2) != 0);
    value = operation == Bits::kAnd ? a & b : (operation == Bits::kOr ? a | b : a ^ b);
  }
  set_predicate(predicate(warp, op->d), value, lanes);
  return op + 1;
}

const Op* select_predicate(Warp& warp, const Op* op, std::uint32_t lanes) {
  const std::uint32_t a = source(warp, op->a, (op->immediate & 1) != 0);
  const std::uint32_t b = source(warp, op->b, (op->immediate & 2) != 0);
  const std::uint32_t c = source(warp, op->c, (op->immediate & 4) != 0);
  set_predicate(predicate(warp, op->d), (a & c) | (b & ~c), lanes);
  return op + 1;
}

}  // namespace

Handler pick_predicate(Bits operation) {
  switch (operation) {
    case Bits::kAnd:
      return logic<Bits::kAnd>;
    case Bits::kOr:
      return logic<Bits::kOr>;
    case Bits::kXor:
      return logic<Bits::kXor>;
    case Bits::kNot:
      return logic<Bits::kNot>;
    case Bits::kMove:
      return logic<Bits::kMove>;
    case Bits::kSelect:
      return select_predicate;
    default:
      return nullptr;
  }
}

}  // namespace run::arithmetic
