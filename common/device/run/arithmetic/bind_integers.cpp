// SPDX-License-Identifier: MIT
// Spellings of integer arithmetic. Opcodes that floating-point numbers share are read by
// bind_floats first, which leaves integer types to this file.
#include "run/arithmetic/binder.h"

namespace run::arithmetic {

namespace {

Type last_type(const Binder& binder) { return ptx::type_named(binder.instruction.words.back()); }

Type widened(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

bool bind_carry(Binder& binder, Carry operation, bool uses) {
  const bool sets = binder.take("cc");
  const Type type = binder.type();
  if (operation == Carry::kMadLo) {
    binder.rows(type, type, type, type);
  } else {
    binder.rows(type, type, type);
  }
  binder.finish(pick_carry(operation, type, uses, sets));
  return true;
}

bool bind_mad_carry(Binder& binder, bool uses) {
  const int half = binder.take_one({"lo", "hi"});
  if (half < 0) binder.refuse();
  const bool sets = binder.take("cc");
  const Type type = binder.type();
  binder.rows(type, type, type, type);
  binder.finish(pick_carry(half == 0 ? Carry::kMadLo : Carry::kMadHi, type, uses, sets));
  return true;
}

bool bind_binary(Binder& binder, Integer plain, Integer saturating) {
  const bool sat = binder.take("sat");
  const Type type = binder.type();
  if (sat && type != Type::kS32) binder.refuse();
  binder.rows(type, type, type);
  binder.finish(pick_integer(sat ? saturating : plain, type));
  return true;
}

bool bind_extreme(Binder& binder, Integer plain, Integer relu) {
  const bool is_relu = binder.take("relu");
  const Type type = binder.type();
  if (is_relu && type != Type::kS32 && type != Type::kS16x2) binder.refuse();
  binder.rows(type, type, type);
  binder.finish(pick_integer(is_relu ? relu : plain, type));
  return true;
}

bool bind_multiply(Binder& binder) {
  const int part = binder.take_one({"lo", "hi", "wide"});
  const Type type = binder.type();
  if (part < 0 || !is_integer(type)) binder.refuse();
  constexpr Integer kParts[] = {Integer::kMulLo, Integer::kMulHi, Integer::kMulWide};
  const Type result = part == 2 ? widened(type) : type;
  if (result == Type::kNone) binder.refuse();
  binder.rows(result, type, type);
  binder.finish(pick_integer(kParts[part], type));
  return true;
}

bool bind_multiply_add(Binder& binder) {
  const int part = binder.take_one({"lo", "hi", "wide"});
  const bool sat = binder.take("sat");
  const Type type = binder.type();
  if (part < 0 || !is_integer(type) || (sat && (part != 1 || type != Type::kS32))) binder.refuse();
  constexpr Integer kParts[] = {Integer::kMadLo, Integer::kMadHi, Integer::kMadWide};
  const Type result = part == 2 ? widened(type) : type;
  if (result == Type::kNone) binder.refuse();
  binder.rows(result, type, type, result);
  binder.finish(pick_integer(sat ? Integer::kMadHiSat : kParts[part], type));
  return true;
}

bool bind_24(Binder& binder, bool adds) {
  const int part = binder.take_one({"lo", "hi"});
  const bool sat = binder.take("sat");
  const Type type = binder.type();
  if (part < 0 || (type != Type::kU32 && type != Type::kS32)) binder.refuse();
  if (sat && (!adds || part != 1 || type != Type::kS32)) binder.refuse();
  if (adds) {
    binder.rows(type, type, type, type);
    const Integer plain = part == 0 ? Integer::kMad24Lo : Integer::kMad24Hi;
    binder.finish(pick_integer(sat ? Integer::kMad24HiSat : plain, type));
  } else {
    binder.rows(type, type, type);
    binder.finish(pick_integer(part == 0 ? Integer::kMul24Lo : Integer::kMul24Hi, type));
  }
  return true;
}

bool bind_unary(Binder& binder, Integer operation) {
  const Type type = binder.type();
  if (!is_integer(type)) binder.refuse();
  binder.rows(type, type);
  binder.finish(pick_integer(operation, type));
  return true;
}

bool bind_dot(Binder& binder, int num_elements) {
  const int half = num_elements == 2 ? binder.take_one({"lo", "hi"}) : 0;
  const Type a = binder.type(), b = binder.type();
  const auto is_32 = [](Type type) { return type == Type::kU32 || type == Type::kS32; };
  if (half < 0 || !is_32(a) || !is_32(b)) binder.refuse();
  binder.rows(Type::kB32, a, b, Type::kB32);
  binder.finish(pick_dot(num_elements, is_signed(a), is_signed(b), half == 1));
  return true;
}

}  // namespace

bool bind_integers(Binder& binder, std::string_view opcode) {
  const bool is_carry = binder.has("cc");
  if (opcode == "add") {
    return is_carry ? bind_carry(binder, Carry::kAdd, false)
                    : bind_binary(binder, Integer::kAdd, Integer::kAddSat);
  }
  if (opcode == "sub") {
    return is_carry ? bind_carry(binder, Carry::kSub, false)
                    : bind_binary(binder, Integer::kSub, Integer::kSubSat);
  }
  if (opcode == "addc") return bind_carry(binder, Carry::kAdd, true);
  if (opcode == "subc") return bind_carry(binder, Carry::kSub, true);
  if (opcode == "madc") return bind_mad_carry(binder, true);
  if (opcode == "mad") return is_carry ? bind_mad_carry(binder, false) : bind_multiply_add(binder);
  if (opcode == "mul") return bind_multiply(binder);
  if (opcode == "mul24") return bind_24(binder, false);
  if (opcode == "mad24") return bind_24(binder, true);
  if (opcode == "div") return bind_binary(binder, Integer::kDiv, Integer::kDiv);
  if (opcode == "rem") return bind_binary(binder, Integer::kRem, Integer::kRem);
  if (opcode == "min") return bind_extreme(binder, Integer::kMin, Integer::kMinRelu);
  if (opcode == "max") return bind_extreme(binder, Integer::kMax, Integer::kMaxRelu);
  if (opcode == "abs") return bind_unary(binder, Integer::kAbs);
  if (opcode == "neg") return bind_unary(binder, Integer::kNeg);
  if (opcode == "sad") {
    const Type type = last_type(binder);
    (void)binder.type();
    if (!is_integer(type)) binder.refuse();
    binder.rows(type, type, type, type);
    binder.finish(pick_integer(Integer::kSad, type));
    return true;
  }
  if (opcode == "dp4a") return bind_dot(binder, 4);
  if (opcode == "dp2a") return bind_dot(binder, 2);
  return false;
}

}  // namespace run::arithmetic
