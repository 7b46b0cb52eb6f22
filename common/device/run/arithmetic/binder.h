// SPDX-License-Identifier: MIT
// Reads an instruction for the functions that bind it: its words, each at most once, and its
// operands, each in the file that its type asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "code/program.h"
#include "run/arithmetic/handlers.h"

namespace run::arithmetic {

class Binder {
 public:
  Binder(code::Op& op, const code::Instruction& instruction, code::Function& function)
      : op(op), instruction(instruction), function_(function) {}

  bool has(std::string_view word) const;
  // Whether the word is there; it counts as read.
  bool take(std::string_view word);
  // The first of these words that is there; an index, or -1.
  int take_one(std::initializer_list<std::string_view> words);
  Rounding rounding();      // .rn .rz .rm .rp
  Rounding to_integer();    // .rni .rzi .rmi .rpi
  Type type();              // the next word that is a type; kNone: there is none
  std::string_view word();  // the next word of any kind, or an empty one

  std::size_t num_operands() const { return instruction.operands.size(); }
  const code::Operand& operand(std::size_t index) const;
  // Offsets of rows in the file of the type. An immediate of another file gets a row of its own;
  // a destination that is `_` gets one that no one reads.
  std::uint32_t source(const code::Operand& operand, Type type);
  std::uint32_t destination(const code::Operand& operand, Type type);
  std::uint32_t scratch(code::File file);
  static code::File file_of(Type type);

  // The first four operands of a usual instruction. Refuses another number of operands.
  void rows(Type d, Type a);
  void rows(Type d, Type a, Type b);
  void rows(Type d, Type a, Type b, Type c);

  template <class T>
  void details(T value) {
    const std::shared_ptr<const T> kept = std::make_shared<const T>(value);
    op.details = kept.get();
    function_.details.push_back(kept);
  }

  // Refuses where the handler is null or a word was not read.
  void finish(Handler handler);
  // The same, in a rounding mode.
  void finish_rounded(Handler handler, Rounding rounding);
  [[noreturn]] void refuse(std::string_view why = "") const;
  void expect_operands(std::size_t count) const;

  code::Op& op;
  const code::Instruction& instruction;

 private:
  std::uint32_t constant(code::File file, std::uint64_t bits);

  code::Function& function_;
  std::uint64_t read_ = 1;  // words, by index; the opcode is read
};

bool is_integer(Type type);  // .u and .s of 16 to 64 bits
bool is_signed(Type type);
bool is_half(Type type);    // f16, bf16 and two of them
Type bits_type(Type type);  // kB16, kB32, kB64 of the type's size

// By group of opcodes; false: none of this group.
bool bind_integers(Binder& binder, std::string_view opcode);
bool bind_bits(Binder& binder, std::string_view opcode);
bool bind_floats(Binder& binder, std::string_view opcode);
bool bind_comparisons(Binder& binder, std::string_view opcode);
bool bind_conversions(Binder& binder, std::string_view opcode);
bool bind_matrices(Binder& binder, std::string_view opcode);
bool bind_video(Binder& binder, std::string_view opcode);

}  // namespace run::arithmetic
