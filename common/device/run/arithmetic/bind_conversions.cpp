// SPDX-License-Identifier: MIT
// Spellings of cvt and cvt.pack.
#include "run/arithmetic/binder.h"

namespace run::arithmetic {

namespace {

bool is_small_float(Type type) {
  return type == Type::kF16 || type == Type::kBF16 || type == Type::kF32 || type == Type::kF64 ||
         type == Type::kTF32;
}
bool is_any_integer(Type type) {
  return is_integer(type) || type == Type::kU8 || type == Type::kS8;
}

Type element_of(Type type) {
  switch (type) {
    case Type::kF16x2:
      return Type::kF16;
    case Type::kBF16x2:
      return Type::kBF16;
    case Type::kE4M3x2:
      return Type::kE4M3;
    case Type::kE5M2x2:
      return Type::kE5M2;
    default:
      return Type::kNone;
  }
}

bool bind_pack(Binder& binder) {
  if (!binder.take("sat")) binder.refuse();
  ConvertPack pack;
  const std::string_view target = binder.word();
  if (target.size() < 2) binder.refuse();
  pack.is_signed = target[0] == 's';
  const std::string_view bits = target.substr(1);
  pack.bits = bits == "16" ? 16 : (bits == "8" ? 8 : (bits == "4" ? 4 : (bits == "2" ? 2 : 0)));
  if (pack.bits == 0 || (target[0] != 's' && target[0] != 'u')) binder.refuse();
  if (binder.type() != Type::kS32) binder.refuse();
  pack.has_c = binder.type() == Type::kB32;
  if (pack.has_c == (pack.bits == 16)) binder.refuse();
  if (pack.has_c) {
    binder.rows(Type::kB32, Type::kS32, Type::kS32, Type::kB32);
  } else {
    binder.rows(Type::kB32, Type::kS32, Type::kS32);
    binder.op.c = binder.op.b;
  }
  binder.details(pack);
  binder.finish(run_convert_pack);
  return true;
}

bool bind_pair(Binder& binder, Convert convert) {
  ConvertPair pair;
  const Type target = convert.target, source = convert.source;
  pair.is_packed = source != Type::kF32;
  pair.element = convert;
  pair.element.target = element_of(target);
  const bool to_8_bits = target == Type::kE4M3x2 || target == Type::kE5M2x2;
  if (to_8_bits && !convert.satfinite) binder.refuse();
  if (pair.is_packed) {
    const bool widens =
        target == Type::kF16x2 && (source == Type::kE4M3x2 || source == Type::kE5M2x2);
    const bool narrows = to_8_bits && source == Type::kF16x2;
    if (!widens && !narrows) binder.refuse();
    pair.element.source = element_of(source);
    binder.rows(target, source);
    binder.op.b = binder.op.a;
  } else {
    binder.rows(target, source, source);
  }
  if (convert.ftz || convert.sat || convert.to_integer != Rounding::kNone) binder.refuse();
  const Handler quick = pick_quick_pair(pair);
  if (quick != nullptr) {
    binder.finish(quick);
    return true;
  }
  binder.details(pair);
  binder.finish(run_convert_pair);
  return true;
}

// Registers of cvt may be wider than its types.
std::uint32_t any_row(Binder& binder, const code::Operand& operand, Type type, bool is_source,
                      bool* is_64) {
  Type in_register = type;
  if (operand.slot.file == code::File::k64 && !operand.is_immediate) in_register = Type::kB64;
  *is_64 = ptx::size_of(in_register) == 8;
  return is_source ? binder.source(operand, in_register) : binder.destination(operand, in_register);
}

bool bind_cvt(Binder& binder) {
  if (binder.take("pack")) return bind_pack(binder);
  Convert convert;
  convert.rounding = binder.rounding();
  if (binder.take("rna")) convert.rounding = Rounding::kNearestAway;
  convert.to_integer = binder.to_integer();
  convert.ftz = binder.take("ftz");
  convert.sat = binder.take("sat");
  convert.relu = binder.take("relu");
  convert.satfinite = binder.take("satfinite");
  convert.target = binder.type();
  convert.source = binder.type();
  if (element_of(convert.target) != Type::kNone) return bind_pair(binder, convert);

  const bool from_float = is_small_float(convert.source), to_float = is_small_float(convert.target);
  if (!from_float && !is_any_integer(convert.source)) binder.refuse();
  if (!to_float && !is_any_integer(convert.target)) binder.refuse();
  if (from_float && !to_float && convert.to_integer == Rounding::kNone) binder.refuse();
  if (!from_float && to_float && convert.rounding == Rounding::kNone) binder.refuse();
  if (!from_float && !to_float && convert.to_integer != Rounding::kNone) binder.refuse();
  if (convert.rounding == Rounding::kNearestAway && convert.target != Type::kTF32) binder.refuse();
  if (convert.ftz && convert.source != Type::kF32 && convert.target != Type::kF32) binder.refuse();
  const bool narrows = to_float && ptx::size_of(convert.target) <= 4;
  if ((convert.relu || convert.satfinite) && !narrows) binder.refuse();
  binder.expect_operands(2);
  binder.op.a = any_row(binder, binder.operand(1), convert.source, true, &convert.source_is_64);
  binder.op.d = any_row(binder, binder.operand(0), convert.target, false, &convert.target_is_64);
  const Handler quick = pick_quick_convert(convert);
  if (quick != nullptr) {
    binder.finish(quick);
    return true;
  }
  binder.details(convert);
  binder.finish(run_convert);
  return true;
}

}  // namespace

bool bind_conversions(Binder& binder, std::string_view opcode) {
  return opcode == "cvt" && bind_cvt(binder);
}

}  // namespace run::arithmetic
