// SPDX-License-Identifier: MIT
// One PTX instruction as C++: what the files of the kinds of instructions share, and their
// functions. Each returns one statement, or nothing for a form that the emulator does not know.
// What the statements call is in simt/ptx.h.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/operands.h"
#include "ptx/ptx.h"

namespace simt::rewriter::ptx {

using Strings = std::vector<std::string>;

// What an instruction's name says.
class Words {
 public:
  explicit Words(const Strings& name) : all_(name.begin() + 1, name.end()) {}

  bool has(std::string_view word) const;
  // The first of the words that it has; empty: none.
  std::string one_of(std::initializer_list<std::string_view> words) const;
  // The C++ types, in order.
  Strings types() const;
  // Whether it has only these words, and types.
  bool only(std::initializer_list<std::string_view> words) const;

 private:
  Strings all_;
};

// "simt_reg_d.set<unsigned>(what);"
std::string set(const std::string& destination, const std::string& type, const std::string& what);
// "::simt::ptx::function<type>(arguments)"
std::string call(const std::string& function, const std::string& type, const Strings& arguments);
bool is_float(const std::string& type);
// Float, or a type of 16 bits, or a pair of those.
bool is_real(const std::string& type);
// The values of all operands behind the destination, of one type.
Strings values(const Instruction& one, const std::string& type);
// d = function(a, b ...), all of the instruction's one type.
std::string plain(const Instruction& one, const std::string& function, std::size_t num_operands);

// arithmetic.cpp
std::string multiply(const Instruction& one, bool adds);
std::string add_or_subtract(const Instruction& one);
std::string compare(const Instruction& one, bool is_predicate);
std::string convert(const Instruction& one);
std::string select(const Instruction& one);
std::string byte_dot_product(const Instruction& one);
std::string absolute_differences(const Instruction& one);

// bits.cpp
std::string move(const Instruction& one);
// d = function(a, b ...) with 32-bit words throughout.
std::string on_words(const Instruction& one, const std::string& function, std::size_t num_operands);
std::string counted(const Instruction& one, const std::string& function);
std::string shifted(const Instruction& one, const std::string& function);
std::string bit_field(const Instruction& one);

// memory.cpp
// [%0 + 4] as a pointer to the type; the instruction's words name the space.
std::string address(const std::string& operand, const Words& words, const std::string& type);
std::string load_or_store(const Instruction& one, bool loads);
std::string atomic(const Instruction& one, bool returns);
std::string fence(const Instruction& one);
std::string copy_async(const Instruction& one);
std::string to_address_space(const Instruction& one);
std::string is_in_space(const Instruction& one);

// warp.cpp
std::string shuffle(const Instruction& one);
std::string vote(const Instruction& one);
std::string match(const Instruction& one);
std::string reduce(const Instruction& one);
std::string barrier(const Instruction& one);

// matrix.cpp
std::string multiply_matrices(const Instruction& one);
std::string load_matrices(const Instruction& one);

// Whether the emulator knows an instruction of this name, in some form.
bool is_known(const Instruction& instruction);
// The statement for an instruction without its label and predicate; table.cpp.
std::string statement(const Instruction& instruction);

}  // namespace simt::rewriter::ptx
