// SPDX-License-Identifier: MIT
// What the handlers offer to the functions that bind instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "code/program.h"

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

enum class Video : std::uint8_t {
  kAdd,
  kSub,
  kAbsDiff,
  kAverage,
  kMin,
  kMax,
  kShl,
  kShr,
  kSet,
};

struct VideoRows {
  Video operation = Video::kAdd;
  Compare comparison = Compare::kEq;  // of kSet
  int num_parts = 1;                  // 1: the word; 2: halfwords; 4: bytes
  bool a_signed = false, b_signed = false, d_signed = false;
  bool saturates = false;
  bool adds = false;    // the results of all parts to the third source
  bool clamps = false;  // shifts; otherwise the amount wraps
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
  kSelectBySign,     // slct with an f32 selector
  kSelectByInteger,  // slct with an s32 selector
  kFmaRelu,
  kFmaDirected,  // not to the nearest
};

enum class Approx : std::uint8_t {
  kDiv,
  kDivFull,
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
  Rounding rounding = Rounding::kNone;    // to the target's precision
  Rounding to_integer = Rounding::kNone;  // .rni .rzi .rmi .rpi
};

// Two numbers into one register: a, the high one, and b; or a source that holds two.
struct ConvertPair {
  Convert element;
  bool is_packed = false;
};
struct ConvertPack {  // cvt.pack
  int bits = 16;
  bool is_signed = false;
  bool has_c = false;
};

// mov between a register and a vector: {a, b} is a in the low bits. Also lop3 with a predicate.
struct MoveRows {
  int num_elements = 0;
  int element_bits = 0;
  int whole_bits = 0;              // 128: two rows, the low half first
  bool exists[8] = {};             // false: the element is `_`
  std::uint32_t elements[8] = {};  // offsets; of 4-byte rows, or of 8-byte ones for 64 bits
};
struct LopRows {  // lop3.and.b32 d|p, a, b, c, table, q
  Combine combine = Combine::kAnd;
  bool is_negated = false;
  std::uint32_t predicate = 0;
  std::uint32_t with = 0;
  bool has_destination = true;
};

// mma and wmma.mma. Rows of the fragments, in the order of the operands; fragment.h says which
// element is where.
enum class Element : std::uint8_t {
  kF16,
  kBF16,
  kTF32,
  kF64,
  kE4M3,
  kE5M2,
  kU8,
  kS8,
  kU4,
  kS4,
  kB1
};
struct Matrix {
  int m = 0, n = 0, k = 0;
  Element a = Element::kF16, b = Element::kF16;
  Type c = Type::kNone, d = Type::kNone;  // kF16, kF32, kF64 or kS32
  bool is_and = false;                    // .b1: .and.popc, else .xor.popc
  bool satfinite = false;
  bool is_quad_pairs = false;                    // m8n8k4 of f16: four products at once
  bool a_by_column = false, b_by_column = true;  // matters for quad pairs alone
  std::uint32_t d_rows[32] = {}, a_rows[16] = {}, b_rows[16] = {}, c_rows[32] = {};
};

// wgmma.mma_async, as one warp of the four executes it: 16 rows of the product. Factors come as
// rows of 32 bytes: of A, and of the transpose of B.
inline constexpr int kWarpgroupRowBytes = 32;
inline constexpr int kMostWarpgroupN = 256;
struct WarpgroupProduct {
  int n = 0, k = 0;
  Element a = Element::kBF16, b = Element::kBF16;
  Type d = Type::kF32;   // or kF16
  bool negates = false;  // the product, before it is added
  std::uint32_t d_rows[kMostWarpgroupN / 2] = {};
};
void multiply_warpgroup(Warp& warp, const WarpgroupProduct& x, const std::byte* a,
                        const std::byte* b, bool accumulates, std::uint32_t lanes);

// The handler of an operation; null if the combination does not exist.
Handler pick_integer(Integer operation, Type type);
Handler pick_carry(Carry operation, Type type, bool uses, bool sets);
Handler pick_bits(Bits operation, Type type);
Handler pick_dot(int num_elements, bool a_signed, bool b_signed, bool high);
Handler pick_predicate(Bits operation);
Comparer pick_compare(Compare comparison, Type type, bool ftz);
Handler pick_test(TestFloat test, Type type);
Handler pick_float(Float operation, Type type, FloatFlags flags);
Handler pick_half(Float operation, Type type, FloatFlags flags);
Handler pick_approx(Approx operation, Type type, FloatFlags flags);
// The usual pairs and shapes; for the others there are run_convert, run_convert_pair, and run_pack
// and run_unpack.
Handler pick_quick_convert(const Convert& convert);
Handler pick_quick_pair(const ConvertPair& pair);
Handler pick_quick_move(const MoveRows& rows, bool is_pack);

// Handlers, and what their details are.
const code::Op* run_setp(Warp& warp, const code::Op* op, std::uint32_t lanes);  // CompareRows
const code::Op* run_set(Warp& warp, const code::Op* op, std::uint32_t lanes);   // CompareRows
const code::Op* run_set_halves(Warp& warp, const code::Op* op,
                               std::uint32_t lanes);  // CompareRows: both halves of a word
const code::Op* run_convert(Warp& warp, const code::Op* op, std::uint32_t lanes);  // Convert
const code::Op* run_convert_pair(Warp& warp, const code::Op* op,
                                 std::uint32_t lanes);  // ConvertPair
const code::Op* run_convert_pack(Warp& warp, const code::Op* op,
                                 std::uint32_t lanes);                            // ConvertPack
const code::Op* run_pack(Warp& warp, const code::Op* op, std::uint32_t lanes);    // MoveRows
const code::Op* run_unpack(Warp& warp, const code::Op* op, std::uint32_t lanes);  // MoveRows
const code::Op* run_video(Warp& warp, const code::Op* op, std::uint32_t lanes);   // VideoRows
const code::Op* run_lop3_predicate(Warp& warp, const code::Op* op, std::uint32_t lanes);  // LopRows
const code::Op* run_matrix(Warp& warp, const code::Op* op, std::uint32_t lanes);          // Matrix
const code::Op* run_transpose(Warp& warp, const code::Op* op,
                              std::uint32_t lanes);  // none: movmatrix

// Calls the handler of a Directed with the processor's rounding mode set.
struct Directed {
  Handler handler = nullptr;
  Rounding rounding = Rounding::kNearest;
};
const code::Op* run_directed(run::Warp& warp, const code::Op* op, std::uint32_t lanes);

}  // namespace run::arithmetic
