// SPDX-License-Identifier: MIT
#include "run/arithmetic/binder.h"

#include <stdexcept>

#include "run/arithmetic/bind.h"

namespace run::arithmetic {

using code::File;

bool Binder::has(std::string_view word) const {
  for (const std::string_view known : instruction.words) {
    if (known == word) return true;
  }
  return false;
}

bool Binder::take(std::string_view word) {
  for (std::size_t i = 1; i < instruction.words.size(); ++i) {
    if ((read_ >> i & 1) != 0 || instruction.words[i] != word) continue;
    read_ |= std::uint64_t{1} << i;
    return true;
  }
  return false;
}

int Binder::take_one(std::initializer_list<std::string_view> words) {
  int index = 0;
  for (const std::string_view word : words) {
    if (take(word)) return index;
    ++index;
  }
  return -1;
}

Rounding Binder::rounding() {
  constexpr Rounding kModes[] = {Rounding::kNearest, Rounding::kZero, Rounding::kDown,
                                 Rounding::kUp};
  const int index = take_one({"rn", "rz", "rm", "rp"});
  return index < 0 ? Rounding::kNone : kModes[index];
}

Rounding Binder::to_integer() {
  constexpr Rounding kModes[] = {Rounding::kNearest, Rounding::kZero, Rounding::kDown,
                                 Rounding::kUp};
  const int index = take_one({"rni", "rzi", "rmi", "rpi"});
  return index < 0 ? Rounding::kNone : kModes[index];
}

Type Binder::type() {
  for (std::size_t i = 1; i < instruction.words.size() && i < 64; ++i) {
    if ((read_ >> i & 1) != 0) continue;
    const Type type = ptx::type_named(instruction.words[i]);
    if (type == Type::kNone) continue;
    read_ |= std::uint64_t{1} << i;
    return type;
  }
  return Type::kNone;
}

std::string_view Binder::word() {
  for (std::size_t i = 1; i < instruction.words.size() && i < 64; ++i) {
    if ((read_ >> i & 1) != 0) continue;
    read_ |= std::uint64_t{1} << i;
    return instruction.words[i];
  }
  return {};
}

const code::Operand& Binder::operand(std::size_t index) const {
  if (index >= instruction.operands.size()) refuse("it has too few operands");
  return instruction.operands[index];
}

File Binder::file_of(Type type) {
  if (type == Type::kPred) return File::kPredicate;
  return ptx::size_of(type) <= 4 ? File::k32 : File::k64;
}

std::uint32_t Binder::source(const code::Operand& operand, Type type) {
  const File file = file_of(type);
  if (operand.slot.exists() && operand.slot.file == file) return operand.slot.offset;
  if (operand.is_immediate) return constant(file, operand.bits);
  refuse(operand.slot.exists()
             ? "the size of a register differs from that of the instruction's type"
             : "an operand is not a register");
}

std::uint32_t Binder::destination(const code::Operand& operand, Type type) {
  const File file = file_of(type);
  if (operand.is_immediate) refuse("its destination is a constant");
  if (!operand.slot.exists()) return scratch(file);
  if (operand.slot.file != file) {
    refuse("the size of a register differs from that of the instruction's type");
  }
  return operand.slot.offset;
}

std::uint32_t Binder::scratch(File file) {
  std::uint32_t* bytes = &function_.bytes_predicate;
  std::uint32_t size = code::kRowBytesPredicate;
  if (file == File::k32) {
    bytes = &function_.bytes32;
    size = code::kRowBytes32;
  } else if (file == File::k64) {
    bytes = &function_.bytes64;
    size = code::kRowBytes64;
  }
  const std::uint32_t offset = *bytes;
  *bytes += size;
  return offset;
}

std::uint32_t Binder::constant(File file, std::uint64_t bits) {
  if (file == File::kPredicate) bits = bits != 0 ? UINT32_MAX : 0;
  if (file == File::k32) bits &= UINT32_MAX;
  for (const code::Constant& known : function_.constants) {
    if (known.slot.file == file && known.bits == bits) return known.slot.offset;
  }
  code::Constant made;
  made.slot.file = file;
  made.slot.offset = scratch(file);
  made.bits = bits;
  function_.constants.push_back(made);
  return made.slot.offset;
}

void Binder::expect_operands(std::size_t count) const {
  if (instruction.operands.size() != count) refuse("it has another number of operands");
}

void Binder::rows(Type d, Type a) {
  expect_operands(2);
  op.a = source(operand(1), a);
  op.d = destination(operand(0), d);
}

void Binder::rows(Type d, Type a, Type b) {
  expect_operands(3);
  op.a = source(operand(1), a);
  op.b = source(operand(2), b);
  op.d = destination(operand(0), d);
}

void Binder::rows(Type d, Type a, Type b, Type c) {
  expect_operands(4);
  op.a = source(operand(1), a);
  op.b = source(operand(2), b);
  op.c = source(operand(3), c);
  op.d = destination(operand(0), d);
}

void Binder::finish(Handler handler) {
  if (handler == nullptr) refuse();
  const std::size_t count = instruction.words.size();
  if (count > 63 || read_ != (std::uint64_t{1} << count) - 1) refuse();
  op.handler = handler;
}

void Binder::finish_rounded(Handler handler, Rounding rounding) {
  finish(handler);
  if (rounding == Rounding::kNone || rounding == Rounding::kNearest) return;
  details(Directed{handler, rounding});
  op.handler = run_directed;
}

void Binder::refuse(std::string_view why) const {
  std::string name;
  for (const std::string_view word : instruction.words) {
    if (!name.empty()) name += '.';
    name += word;
  }
  std::string sentence = "The machine does not know the instruction `" + name + "`";
  if (!why.empty()) sentence += std::string(": ") + std::string(why);
  throw std::runtime_error(sentence + ".");
}

bool is_integer(Type type) {
  switch (type) {
    case Type::kU16:
    case Type::kU32:
    case Type::kU64:
    case Type::kS16:
    case Type::kS32:
    case Type::kS64:
      return true;
    default:
      return false;
  }
}

bool is_signed(Type type) {
  return type == Type::kS8 || type == Type::kS16 || type == Type::kS32 || type == Type::kS64 ||
         type == Type::kS16x2;
}

bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kBF16 || type == Type::kF16x2 || type == Type::kBF16x2;
}

Type bits_type(Type type) {
  switch (ptx::size_of(type)) {
    case 2:
      return Type::kB16;
    case 4:
      return Type::kB32;
    case 8:
      return type == Type::kNone ? Type::kNone : Type::kB64;
    default:
      return Type::kNone;
  }
}

bool bind_arithmetic(code::Op& op, const code::Instruction& instruction, code::Function& function) {
  if (instruction.words.empty()) return false;
  Binder binder(op, instruction, function);
  const std::string_view opcode = instruction.words[0];
  return bind_bits(binder, opcode) || bind_comparisons(binder, opcode) ||
         bind_floats(binder, opcode) || bind_integers(binder, opcode) ||
         bind_conversions(binder, opcode) || bind_matrices(binder, opcode) ||
         bind_video(binder, opcode);
}

}  // namespace run::arithmetic
