// SPDX-License-Identifier: MIT
// What the levels offer to the binders: for each operation and type a handler, or null if the
// combination does not exist. level.h describes the levels.
#pragma once

#include <cstdint>

#include "code/program.h"
#include "ptx/module.h"

namespace run {
struct Warp;
}

namespace run::arithmetic {

using code::Handler;
using ptx::Type;

enum class Integer : std::uint8_t {
  kAdd,
  kSub,
  kMulLo,
  kMulHi,
  kMulWide,
  kMul24Lo,
  kMul24Hi,
  kDiv,
  kRem,
  kMin,
  kMax,
  kMinRelu,
  kMaxRelu,
  kAddSat,
  kSubSat,
  kAbs,
  kNeg,
  kSad,
  kMadLo,
  kMadHi,
  kMadHiSat,
  kMadWide,
  kMad24Lo,
  kMad24Hi,
  kMad24HiSat,
};

enum class Bits : std::uint8_t {
  kAnd,
  kOr,
  kXor,
  kNot,
  kCnot,
  kLop3,  // op.immediate: the table
  kShl,
  kShr,  // arithmetic for signed types
  kFunnelLeftClamp,
  kFunnelLeftWrap,
  kFunnelRightClamp,
  kFunnelRightWrap,
  kPopc,
  kClz,
  kBfind,
  kBfindShift,
  kBrev,
  kBfe,
  kBfi,  // op.immediate: offset of the fourth source
  kFns,
  kBmskClamp,
  kBmskWrap,
  kSzextClamp,
  kSzextWrap,
  kPrmt,  // and its modes, in the order of the manual
  kPrmtF4e,
  kPrmtB4e,
  kPrmtRc8,
  kPrmtEcl,
  kPrmtEcr,
  kPrmtRc16,
  kMove,
  kSelect,  // op.c: a predicate; op.immediate: 1: it is negated
};

enum class Carry : std::uint8_t { kAdd, kSub, kMadLo, kMadHi };

enum class Compare : std::uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };

// The lanes where a comparison of op.a and op.b holds.
using MaskFunction = std::uint32_t (*)(run::Warp& warp, const code::Op* op);
struct Comparer {
  Handler plain = nullptr;  // setp with one destination
  MaskFunction mask = nullptr;
  MaskFunction second_mask = nullptr;  // of the high halves of f16x2 and bf16x2
};

// Details of setp with more than one destination or one source more, and of set.
struct CompareRows {
  MaskFunction mask = nullptr;
  MaskFunction second_mask = nullptr;
  Combine combine = Combine::kNone;
  bool has_second = false;   // d|q
  bool is_negated = false;   // the predicate that is combined
  std::uint32_t second = 0;  // offset of q
  std::uint32_t with = 0;    // offset of the predicate that is combined
  // set: what is written where the comparison holds (0 elsewhere)
  std::uint32_t true_bits = 0;
};

enum class Float : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kFma,
  kDiv,
  kRcp,
  kSqrt,
  kMin,
  kMax,
  kMinNan,
  kMaxNan,
  kMinXorsign,
  kMaxXorsign,
  kMinNanXorsign,
  kMaxNanXorsign,
  kAbs,
  kNeg,
  kCopysign,
  kSelectBySign,  // slct with an f32 selector: the bits of a or b
  kFmaRelu,
};

enum class Approx : std::uint8_t {
  kDiv,
  kRcp,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kLg2,
  kEx2,
  kTanh,
};

enum class TestFloat : std::uint8_t {
  kFinite,
  kInfinite,
  kNumber,
  kNotANumber,
  kNormal,
  kSubnormal,
};

enum class Rounding : std::uint8_t {
  kNone,
  kNearest,
  kZero,
  kDown,
  kUp,
  kNearestAway,  // .rna
};

struct FloatFlags {
  bool ftz = false;
  bool sat = false;
  bool relu = false;
};

// cvt between any two types, by way of a wide row. Convert::source and target are types of one
// element.
struct Convert {
  Type source = Type::kNone;
  Type target = Type::kNone;
  bool source_is_64 = false;  // the rows' files
  bool target_is_64 = false;
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool satfinite = false;
  Rounding rounding = Rounding::kNone;   // to the target's precision
  Rounding to_integer = Rounding::kNone;  // .rni .rzi .rmi .rpi
};

struct Kernels {
  Handler (*integer)(Integer, Type);
  Handler (*carry)(Carry, Type, bool uses, bool sets);
  Handler (*bits)(Bits, Type);
  Handler (*dot)(int num_elements, bool a_signed, bool b_signed, bool high);
  Handler (*predicate)(Bits);
  Comparer (*compare)(Compare, Type, bool ftz);
  Handler setp;        // details: CompareRows
  Handler set;         // likewise
  Handler set_halves;  // likewise: both halves of a word
  Handler (*test)(TestFloat, Type);
  Handler (*floating)(Float, Type, FloatFlags);
  Handler (*approx)(Approx, Type, FloatFlags);
  Handler convert;                            // any pair; details: Convert
  Handler (*quick_convert)(const Convert&);   // the usual pairs
};

// The level of this processor.
const Kernels& kernels();

// Calls the handler of a Directed with the processor's rounding mode set.
struct Directed {
  Handler handler = nullptr;
  Rounding rounding = Rounding::kNearest;
};
const code::Op* run_directed(run::Warp& warp, const code::Op* op, std::uint32_t lanes);

}  // namespace run::arithmetic
