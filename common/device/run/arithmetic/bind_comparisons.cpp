// SPDX-License-Identifier: MIT
// Spellings of setp, set and testp.
#include "run/arithmetic/binder.h"

namespace run::arithmetic {

namespace {

struct Named {
  std::string_view name;
  Compare comparison;
  bool is_unsigned = false;  // lo, ls, hi, hs
};
constexpr Named kComparisons[] = {
    {"eq", Compare::kEq},       {"ne", Compare::kNe},       {"lt", Compare::kLt},
    {"le", Compare::kLe},       {"gt", Compare::kGt},       {"ge", Compare::kGe},
    {"equ", Compare::kEqu},     {"neu", Compare::kNeu},     {"ltu", Compare::kLtu},
    {"leu", Compare::kLeu},     {"gtu", Compare::kGtu},     {"geu", Compare::kGeu},
    {"num", Compare::kNum},     {"nan", Compare::kNan},     {"lo", Compare::kLt, true},
    {"ls", Compare::kLe, true}, {"hi", Compare::kGt, true}, {"hs", Compare::kGe, true},
};

Named read_comparison(Binder& binder) {
  const std::string_view word = binder.word();
  for (const Named& named : kComparisons) {
    if (named.name == word) return named;
  }
  binder.refuse();
}

Comparer comparer_of(Binder& binder, const Named& named, Type type, bool ftz) {
  if (ftz && type != Type::kF32 && type != Type::kF16 && type != Type::kF16x2) binder.refuse();
  const bool is_bits = type == Type::kB16 || type == Type::kB32 || type == Type::kB64;
  if (named.is_unsigned && is_signed(type)) binder.refuse();
  if (is_bits) {
    if (named.comparison != Compare::kEq && named.comparison != Compare::kNe) binder.refuse();
    constexpr Type kUnsigned[] = {Type::kU16, Type::kU32, Type::kU64};
    type = kUnsigned[type == Type::kB16 ? 0 : (type == Type::kB32 ? 1 : 2)];
  } else if (named.is_unsigned && !is_integer(type)) {
    binder.refuse();
  }
  const Comparer found = pick_compare(named.comparison, type, ftz);
  if (found.mask == nullptr) binder.refuse();
  return found;
}

// The boolean operation and its predicate, the last operand.
void read_combination(Binder& binder, int combine, CompareRows* rows) {
  if (combine < 0) {
    binder.expect_operands(3);
    return;
  }
  constexpr Combine kCombines[] = {Combine::kAnd, Combine::kOr, Combine::kXor};
  binder.expect_operands(4);
  rows->combine = kCombines[combine];
  rows->with = binder.source(binder.operand(3), Type::kPred);
  rows->is_negated = binder.operand(3).slot.is_negated;
}

bool bind_setp(Binder& binder) {
  const int combine = binder.take_one({"and", "or", "xor"});
  const bool ftz = binder.take("ftz");
  const Named named = read_comparison(binder);
  const Type type = binder.type();
  const Comparer comparer = comparer_of(binder, named, type, ftz);
  CompareRows rows;
  rows.mask = comparer.mask;
  rows.second_mask = comparer.second_mask;
  read_combination(binder, combine, &rows);
  const code::Operand& d = binder.operand(0);
  binder.op.a = binder.source(binder.operand(1), type);
  binder.op.b = binder.source(binder.operand(2), type);
  binder.op.d = binder.destination(d, Type::kPred);
  rows.has_second = d.second.exists();
  if (rows.has_second && d.second.file != code::File::kPredicate) binder.refuse();
  rows.second = d.second.offset;
  if (!rows.has_second && rows.combine == Combine::kNone) {
    binder.finish(comparer.plain);
    return true;
  }
  binder.details(rows);
  binder.finish(run_setp);
  return true;
}

bool bind_set(Binder& binder) {
  const int combine = binder.take_one({"and", "or", "xor"});
  const bool ftz = binder.take("ftz");
  const Named named = read_comparison(binder);
  const Type result = binder.type(), type = binder.type();
  const Comparer comparer = comparer_of(binder, named, type, ftz);
  CompareRows rows;
  rows.mask = comparer.mask;
  rows.second_mask = comparer.second_mask;
  read_combination(binder, combine, &rows);
  binder.op.a = binder.source(binder.operand(1), type);
  binder.op.b = binder.source(binder.operand(2), type);
  binder.op.d = binder.destination(binder.operand(0), result);
  switch (result) {
    case Type::kU32:
    case Type::kS32:
      rows.true_bits = 0xffffffff;
      break;
    case Type::kU16:
    case Type::kS16:
      rows.true_bits = 0xffff;
      break;
    case Type::kF32:
      rows.true_bits = 0x3f800000;
      break;
    case Type::kF16:
    case Type::kF16x2:
      rows.true_bits = 0x3c00;
      break;
    case Type::kBF16:
    case Type::kBF16x2:
      rows.true_bits = 0x3f80;
      break;
    default:
      binder.refuse();
  }
  const bool is_pair = type == Type::kF16x2 || type == Type::kBF16x2;
  if (is_pair) {
    // A word of two results, each of 16 bits.
    if (result == Type::kU32 || result == Type::kS32) rows.true_bits = 0xffff;
    if (ptx::size_of(result) != 4 || result == Type::kF32) binder.refuse();
  }
  binder.details(rows);
  binder.finish(is_pair ? run_set_halves : run_set);
  return true;
}

bool bind_testp(Binder& binder) {
  constexpr TestFloat kTests[] = {TestFloat::kFinite, TestFloat::kInfinite,
                                  TestFloat::kNumber, TestFloat::kNotANumber,
                                  TestFloat::kNormal, TestFloat::kSubnormal};
  const int test =
      binder.take_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type type = binder.type();
  if (test < 0) binder.refuse();
  binder.rows(Type::kPred, type);
  binder.finish(pick_test(kTests[test], type));
  return true;
}

}  // namespace

bool bind_comparisons(Binder& binder, std::string_view opcode) {
  if (opcode == "setp") return bind_setp(binder);
  if (opcode == "set") return bind_set(binder);
  if (opcode == "testp") return bind_testp(binder);
  return false;
}

}  // namespace run::arithmetic
