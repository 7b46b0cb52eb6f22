// SPDX-License-Identifier: MIT
// Spellings of the video instructions. Refused are operands that select bytes (%r1.b0), masks of
// the result, and of whole words .sat, .min and .max: there a GPU does not do what the manual says.
#include <algorithm>

#include "run/arithmetic/binder.h"

namespace run::arithmetic {

namespace {

struct Spelling {
  std::string_view opcode;
  Video operation;
  bool has_word, has_parts;
};
constexpr Spelling kSpellings[] = {
    {"vadd", Video::kAdd, true, true},         {"vsub", Video::kSub, true, true},
    {"vabsdiff", Video::kAbsDiff, true, true}, {"vavrg", Video::kAverage, false, true},
    {"vmin", Video::kMin, true, true},         {"vmax", Video::kMax, true, true},
    {"vshl", Video::kShl, true, false},        {"vshr", Video::kShr, true, false},
    {"vset", Video::kSet, true, true},
};

}  // namespace

bool bind_video(Binder& binder, std::string_view opcode) {
  VideoRows rows;
  if (opcode.ends_with('2') || opcode.ends_with('4')) {
    rows.num_parts = opcode.back() - '0';
    opcode.remove_suffix(1);
  }
  const auto* const spelling = std::ranges::find(kSpellings, opcode, &Spelling::opcode);
  if (spelling == std::end(kSpellings)) return false;
  const bool is_simd = rows.num_parts > 1;
  if (is_simd ? !spelling->has_parts : !spelling->has_word) return false;
  rows.operation = spelling->operation;

  const auto next_is_signed = [&] {
    const Type type = binder.type();
    if (type != Type::kU32 && type != Type::kS32) binder.refuse();
    return type == Type::kS32;
  };
  if (rows.operation != Video::kSet) rows.d_signed = next_is_signed();
  rows.a_signed = next_is_signed();
  rows.b_signed = next_is_signed();
  if (rows.operation == Video::kSet) {
    constexpr Compare kComparisons[] = {Compare::kEq, Compare::kNe, Compare::kLt,
                                        Compare::kLe, Compare::kGt, Compare::kGe};
    const int index = binder.take_one({"eq", "ne", "lt", "le", "gt", "ge"});
    if (index < 0) binder.refuse();
    rows.comparison = kComparisons[index];
  } else {
    rows.saturates = is_simd && binder.take("sat");
  }
  if (rows.operation == Video::kShl || rows.operation == Video::kShr) {
    rows.clamps = binder.take("clamp");
    if (rows.b_signed || (!rows.clamps && !binder.take("wrap"))) binder.refuse();
  }
  rows.adds = binder.take("add");

  // The third source of halfwords and bytes is always there: what a mask leaves out comes from it.
  if (is_simd || rows.adds) {
    binder.rows(Type::kB32, Type::kB32, Type::kB32, Type::kB32);
  } else {
    binder.rows(Type::kB32, Type::kB32, Type::kB32);
    binder.op.c = binder.op.b;
  }
  binder.details(rows);
  binder.finish(run_video);
  return true;
}

}  // namespace run::arithmetic
