// SPDX-License-Identifier: MIT
// Spellings of floating-point arithmetic. An instruction on integers is left to bind_integers.
#include "run/arithmetic/binder.h"

namespace run::arithmetic {

namespace {

bool is_float(Type type) { return type == Type::kF32 || type == Type::kF64 || is_half(type); }

// .ftz is for f32 and f16; .sat too. .relu is for 16 bits.
FloatFlags flags_of(Binder& binder, Type type) {
  FloatFlags flags;
  flags.ftz = binder.take("ftz");
  flags.sat = binder.take("sat");
  const bool allowed = type == Type::kF32 || type == Type::kF16 || type == Type::kF16x2;
  if ((flags.ftz || flags.sat) && !allowed) binder.refuse();
  return flags;
}

bool bind_sum(Binder& binder, Float operation) {
  const Rounding rounding = binder.rounding();
  const Type type = binder.type();
  const FloatFlags flags = flags_of(binder, type);
  if (is_half(type) && rounding != Rounding::kNone && rounding != Rounding::kNearest) {
    binder.refuse();
  }
  binder.rows(type, type, type);
  binder.finish_rounded(pick_float(operation, type, flags), rounding);
  return true;
}

bool bind_fma(Binder& binder) {
  const Rounding rounding = binder.rounding();
  const bool relu = binder.take("relu");
  const Type type = binder.type();
  const FloatFlags flags = flags_of(binder, type);
  if (relu && (!is_half(type) || flags.sat)) binder.refuse();
  const bool is_nearest = rounding == Rounding::kNone || rounding == Rounding::kNearest;
  if (is_half(type) && !is_nearest) binder.refuse();
  binder.rows(type, type, type, type);
  const Float plain = is_nearest ? Float::kFma : Float::kFmaDirected;
  binder.finish_rounded(pick_float(relu ? Float::kFmaRelu : plain, type, flags), rounding);
  return true;
}

bool bind_extreme(Binder& binder, bool is_max) {
  const bool keeps_nan = binder.take("NaN");
  const bool xorsign = binder.take("xorsign");
  if (xorsign && !binder.take("abs")) binder.refuse();
  const Type type = binder.type();
  const FloatFlags flags = flags_of(binder, type);
  if (flags.sat) binder.refuse();
  constexpr Float kOperations[2][2][2] = {
      {{Float::kMin, Float::kMinXorsign}, {Float::kMinNan, Float::kMinNanXorsign}},
      {{Float::kMax, Float::kMaxXorsign}, {Float::kMaxNan, Float::kMaxNanXorsign}}};
  binder.rows(type, type, type);
  binder.finish(pick_float(kOperations[is_max][keeps_nan][xorsign], type, flags));
  return true;
}

bool bind_sign(Binder& binder, Float operation) {
  const Type type = binder.type();
  const FloatFlags flags = flags_of(binder, type);
  if (flags.sat) binder.refuse();
  binder.rows(type, type);
  binder.finish(pick_float(operation, type, flags));
  return true;
}

bool bind_divide(Binder& binder) {
  const bool approx = binder.take("approx"), full = binder.take("full");
  const Rounding rounding = binder.rounding();
  const Type type = binder.type();
  const FloatFlags flags = flags_of(binder, type);
  if (flags.sat || is_half(type)) binder.refuse();
  binder.rows(type, type, type);
  if (approx || full) {
    if (type != Type::kF32 || (approx && full) || rounding != Rounding::kNone) binder.refuse();
    binder.finish(pick_approx(full ? Approx::kDivFull : Approx::kDiv, type, flags));
    return true;
  }
  if (rounding == Rounding::kNone) binder.refuse();
  binder.finish_rounded(pick_float(Float::kDiv, type, flags), rounding);
  return true;
}

// rcp, sqrt: rounded, or an approximation.
bool bind_root(Binder& binder, Float exact, Approx approximate) {
  const bool approx = binder.take("approx");
  const Rounding rounding = binder.rounding();
  const bool ftz = binder.take("ftz");
  const Type type = binder.type();
  FloatFlags flags;
  flags.ftz = ftz;
  binder.rows(type, type);
  if (approx) {
    if (rounding != Rounding::kNone) binder.refuse();
    if (type == Type::kF64 && !(ftz && approximate == Approx::kRcp)) binder.refuse();
    binder.finish(pick_approx(approximate, type, flags));
    return true;
  }
  if (rounding == Rounding::kNone || is_half(type) || (ftz && type != Type::kF32)) binder.refuse();
  binder.finish_rounded(pick_float(exact, type, flags), rounding);
  return true;
}

bool bind_approximation(Binder& binder, Approx operation) {
  if (!binder.take("approx")) binder.refuse();
  FloatFlags flags;
  flags.ftz = binder.take("ftz");
  const Type type = binder.type();
  if (is_half(type)) {
    // ex2 of bf16 is always .ftz, which makes no difference to it: its argument's own scale is
    // that of f32, and 2^x of a denormal number is 1.
    const bool is_bf16 = type == Type::kBF16 || type == Type::kBF16x2;
    const bool wants_ftz = operation == Approx::kEx2 && is_bf16;
    if (flags.ftz != wants_ftz && !(operation == Approx::kEx2 && !is_bf16)) binder.refuse();
  }
  if (type == Type::kF64 && operation != Approx::kRsqrt) binder.refuse();
  binder.rows(type, type);
  binder.finish(pick_approx(operation, type, flags));
  return true;
}

}  // namespace

bool bind_floats(Binder& binder, std::string_view opcode) {
  if (opcode == "fma") return bind_fma(binder);
  if (opcode == "rcp") return bind_root(binder, Float::kRcp, Approx::kRcp);
  if (opcode == "sqrt") return bind_root(binder, Float::kSqrt, Approx::kSqrt);
  if (opcode == "rsqrt") return bind_approximation(binder, Approx::kRsqrt);
  if (opcode == "sin") return bind_approximation(binder, Approx::kSin);
  if (opcode == "cos") return bind_approximation(binder, Approx::kCos);
  if (opcode == "lg2") return bind_approximation(binder, Approx::kLg2);
  if (opcode == "ex2") return bind_approximation(binder, Approx::kEx2);
  if (opcode == "tanh") return bind_approximation(binder, Approx::kTanh);
  if (opcode == "copysign") {
    const Type type = binder.type();
    if (type != Type::kF32 && type != Type::kF64) binder.refuse();
    binder.rows(type, type, type);
    binder.finish(pick_float(Float::kCopysign, type, {}));
    return true;
  }
  if (!is_float(ptx::type_named(binder.instruction.words.back()))) return false;
  if (opcode == "add") return bind_sum(binder, Float::kAdd);
  if (opcode == "sub") return bind_sum(binder, Float::kSub);
  if (opcode == "mul") return bind_sum(binder, Float::kMul);
  if (opcode == "mad") return bind_fma(binder);
  if (opcode == "div") return bind_divide(binder);
  if (opcode == "min") return bind_extreme(binder, false);
  if (opcode == "max") return bind_extreme(binder, true);
  if (opcode == "abs") return bind_sign(binder, Float::kAbs);
  if (opcode == "neg") return bind_sign(binder, Float::kNeg);
  return false;
}

}  // namespace run::arithmetic
