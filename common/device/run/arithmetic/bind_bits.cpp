// SPDX-License-Identifier: MIT
// Spellings of operations on bits, mov, selp, slct, and logic of predicates.
#include "run/arithmetic/binder.h"

namespace run::arithmetic {

namespace {

std::int64_t negations(const Binder& binder) {
  std::int64_t bits = 0;
  for (std::size_t i = 1; i < binder.num_operands(); ++i) {
    if (binder.operand(i).slot.is_negated) bits |= std::int64_t{1} << (i - 1);
  }
  return bits;
}

bool bind_logic(Binder& binder, Bits operation, bool has_two) {
  const Type type = binder.type();
  if (has_two) {
    binder.rows(type, type, type);
  } else {
    binder.rows(type, type);
  }
  if (type == Type::kPred) {
    binder.op.immediate = negations(binder);
    binder.finish(pick_predicate(operation));
  } else if (type == Type::kB16 || type == Type::kB32 || type == Type::kB64) {
    binder.finish(pick_bits(operation, type));
  } else {
    binder.refuse();
  }
  return true;
}

bool bind_shift(Binder& binder, Bits operation) {
  const Type type = binder.type();
  binder.rows(type, type, Type::kU32);
  const bool keeps_sign = operation == Bits::kShr && is_signed(type);
  binder.finish(pick_bits(operation, keeps_sign ? type : bits_type(type)));
  return true;
}

bool bind_funnel(Binder& binder) {
  const bool left = binder.take("l");
  if (!left && !binder.take("r")) binder.refuse();
  const bool clamps = binder.take("clamp");
  if (!clamps && !binder.take("wrap")) binder.refuse();
  const Type type = binder.type();
  if (type != Type::kB32) binder.refuse();
  binder.rows(type, type, type, Type::kU32);
  const Bits operation = left ? (clamps ? Bits::kFunnelLeftClamp : Bits::kFunnelLeftWrap)
                              : (clamps ? Bits::kFunnelRightClamp : Bits::kFunnelRightWrap);
  binder.finish(pick_bits(operation, type));
  return true;
}

bool bind_count(Binder& binder, Bits operation) {
  const Type type = binder.type();
  if (ptx::size_of(type) < 4) binder.refuse();
  binder.rows(Type::kU32, type);
  binder.finish(pick_bits(operation, is_signed(type) ? type : bits_type(type)));
  return true;
}

bool bind_field(Binder& binder, bool inserts) {
  const Type type = binder.type();
  if (ptx::size_of(type) < 4) binder.refuse();
  if (!inserts) {
    binder.rows(type, type, Type::kU32, Type::kU32);
    binder.finish(pick_bits(Bits::kBfe, is_signed(type) ? type : bits_type(type)));
    return true;
  }
  binder.expect_operands(5);
  binder.op.a = binder.source(binder.operand(1), type);
  binder.op.b = binder.source(binder.operand(2), type);
  binder.op.c = binder.source(binder.operand(3), Type::kU32);
  binder.op.immediate = binder.source(binder.operand(4), Type::kU32);
  binder.op.d = binder.destination(binder.operand(0), type);
  binder.finish(pick_bits(Bits::kBfi, bits_type(type)));
  return true;
}

bool bind_clamped(Binder& binder, Bits clamp, Bits wrap) {
  const int mode = binder.take_one({"clamp", "wrap"});
  const Type type = binder.type();
  if (mode < 0 || ptx::size_of(type) != 4) binder.refuse();
  binder.rows(type, type, Type::kU32);
  binder.finish(pick_bits(mode == 0 ? clamp : wrap, is_signed(type) ? type : bits_type(type)));
  return true;
}

bool bind_permute(Binder& binder) {
  constexpr Bits kModes[] = {Bits::kPrmtF4e, Bits::kPrmtB4e, Bits::kPrmtRc8,
                             Bits::kPrmtEcl, Bits::kPrmtEcr, Bits::kPrmtRc16};
  const int mode = binder.take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  const Type type = binder.type();
  if (type != Type::kB32) binder.refuse();
  binder.rows(type, type, type, type);
  binder.finish(pick_bits(mode < 0 ? Bits::kPrmt : kModes[mode], type));
  return true;
}

bool bind_lop3(Binder& binder) {
  const int combine = binder.take_one({"and", "or", "xor"});
  const Type type = binder.type();
  if (type != Type::kB32) binder.refuse();
  binder.expect_operands(combine < 0 ? 5 : 6);
  binder.op.a = binder.source(binder.operand(1), type);
  binder.op.b = binder.source(binder.operand(2), type);
  binder.op.c = binder.source(binder.operand(3), type);
  const code::Operand& d = binder.operand(0);
  binder.op.d = binder.destination(d, type);
  if (!binder.operand(4).is_immediate) binder.refuse("its table is not a constant");
  binder.op.immediate = static_cast<std::int64_t>(binder.operand(4).bits & 0xff);
  if (combine < 0) {
    binder.finish(pick_bits(Bits::kLop3, type));
    return true;
  }
  constexpr Combine kCombines[] = {Combine::kAnd, Combine::kOr, Combine::kXor};
  LopRows rows;
  rows.combine = kCombines[combine];
  if (d.second.file != code::File::kPredicate) binder.refuse("it lacks a predicate");
  rows.predicate = d.second.offset;
  rows.with = binder.source(binder.operand(5), Type::kPred);
  rows.is_negated = binder.operand(5).slot.is_negated;
  binder.details(rows);
  binder.finish(run_lop3_predicate);
  return true;
}

bool bind_select(Binder& binder) {
  const Type type = binder.type();
  binder.rows(type, type, type, Type::kPred);
  const bool is_negated = binder.operand(3).slot.is_negated;
  if (type == Type::kPred) {
    binder.op.immediate = negations(binder);
    binder.finish(pick_predicate(Bits::kSelect));
    return true;
  }
  binder.op.immediate = is_negated ? 1 : 0;
  const Type bits = ptx::size_of(type) == 8 ? Type::kB64 : Type::kB32;
  binder.finish(pick_bits(Bits::kSelect, bits));
  return true;
}

bool bind_select_by_sign(Binder& binder) {
  FloatFlags flags;
  flags.ftz = binder.take("ftz");
  const Type type = binder.type(), selector = binder.type();
  const bool is_float = selector == Type::kF32;
  if (!is_float && (selector != Type::kS32 || flags.ftz)) binder.refuse();
  binder.rows(type, type, type, selector);
  const Type bits = ptx::size_of(type) == 8 ? Type::kB64 : Type::kB32;
  binder.finish(pick_float(is_float ? Float::kSelectBySign : Float::kSelectByInteger, bits, flags));
  return true;
}

bool bind_vector_move(Binder& binder, Type type, bool is_pack) {
  const std::vector<code::Operand>& elements = binder.operand(is_pack ? 1 : 0).elements;
  MoveRows rows;
  rows.num_elements = static_cast<int>(elements.size());
  rows.whole_bits = static_cast<int>(8 * ptx::size_of(type));
  if (rows.num_elements != 2 && rows.num_elements != 4 && rows.num_elements != 8) binder.refuse();
  rows.element_bits = rows.whole_bits / rows.num_elements;
  if (rows.element_bits < 8) binder.refuse();
  const Type element = rows.element_bits == 64 ? Type::kB64 : Type::kB32;
  for (int k = 0; k < rows.num_elements; ++k) {
    const code::Operand& operand = elements[static_cast<std::size_t>(k)];
    rows.exists[k] = operand.slot.exists() || operand.is_immediate;
    if (!rows.exists[k]) {
      if (is_pack) binder.refuse("an element is not a register");
      continue;
    }
    rows.elements[k] =
        is_pack ? binder.source(operand, element) : binder.destination(operand, element);
  }
  if (is_pack) {
    binder.op.d = binder.destination(binder.operand(0), type);
  } else {
    binder.op.a = binder.source(binder.operand(1), type);
  }
  const Handler quick = pick_quick_move(rows, is_pack);
  if (quick != nullptr) {
    (is_pack ? binder.op.a : binder.op.d) = rows.elements[0];
    (is_pack ? binder.op.b : binder.op.c) = rows.elements[1];
    binder.finish(quick);
    return true;
  }
  binder.details(rows);
  binder.finish(is_pack ? run_pack : run_unpack);
  return true;
}

bool bind_move(Binder& binder) {
  const Type type = binder.type();
  binder.expect_operands(2);
  if (!binder.operand(0).elements.empty()) return bind_vector_move(binder, type, false);
  if (!binder.operand(1).elements.empty()) return bind_vector_move(binder, type, true);
  if (type == Type::kPred) {
    binder.rows(type, type);
    binder.op.immediate = negations(binder);
    binder.finish(pick_predicate(Bits::kMove));
    return true;
  }
  if (type == Type::kB128) {
    MoveRows rows;
    rows.num_elements = 2;
    rows.element_bits = 64;
    rows.whole_bits = 128;
    rows.exists[0] = rows.exists[1] = true;
    binder.rows(type, type);
    rows.elements[0] = binder.op.a;
    rows.elements[1] = binder.op.a + code::kRowBytes64;
    binder.details(rows);
    binder.finish(run_pack);
    return true;
  }
  if (ptx::size_of(type) < 2) binder.refuse();
  binder.rows(type, type);
  const Type bits = ptx::size_of(type) == 8 ? Type::kB64 : Type::kB32;
  binder.finish(pick_bits(Bits::kMove, bits));
  return true;
}

}  // namespace

bool bind_bits(Binder& binder, std::string_view opcode) {
  if (opcode == "mov") return bind_move(binder);
  if (opcode == "selp") return bind_select(binder);
  if (opcode == "slct") return bind_select_by_sign(binder);
  if (opcode == "and") return bind_logic(binder, Bits::kAnd, true);
  if (opcode == "or") return bind_logic(binder, Bits::kOr, true);
  if (opcode == "xor") return bind_logic(binder, Bits::kXor, true);
  if (opcode == "not") return bind_logic(binder, Bits::kNot, false);
  if (opcode == "cnot") return bind_logic(binder, Bits::kCnot, false);
  if (opcode == "shl") return bind_shift(binder, Bits::kShl);
  if (opcode == "shr") return bind_shift(binder, Bits::kShr);
  if (opcode == "shf") return bind_funnel(binder);
  if (opcode == "lop3") return bind_lop3(binder);
  if (opcode == "prmt") return bind_permute(binder);
  if (opcode == "popc") return bind_count(binder, Bits::kPopc);
  if (opcode == "clz") return bind_count(binder, Bits::kClz);
  if (opcode == "bfind") {
    return bind_count(binder, binder.take("shiftamt") ? Bits::kBfindShift : Bits::kBfind);
  }
  if (opcode == "brev") {
    const Type type = binder.type();
    binder.rows(type, type);
    binder.finish(pick_bits(Bits::kBrev, bits_type(type)));
    return true;
  }
  if (opcode == "bfe") return bind_field(binder, false);
  if (opcode == "bfi") return bind_field(binder, true);
  if (opcode == "fns") {
    const Type type = binder.type();
    if (type != Type::kB32) binder.refuse();
    binder.rows(type, type, type, Type::kS32);
    binder.finish(pick_bits(Bits::kFns, type));
    return true;
  }
  if (opcode == "bmsk") return bind_clamped(binder, Bits::kBmskClamp, Bits::kBmskWrap);
  if (opcode == "szext") return bind_clamped(binder, Bits::kSzextClamp, Bits::kSzextWrap);
  return false;
}

}  // namespace run::arithmetic
