// SPDX-License-Identifier: MIT
// The text of a module of LLVM's intermediate code, as clang writes it before the first pass.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace front {

/// The lines [begin, end) of a function: the first is its `define`, the last its closing brace.
struct FunctionLines {
  std::string name;  // with its @
  std::size_t begin;
  std::size_t end;
};

struct Module {
  explicit Module(std::string_view text);
  [[nodiscard]] std::string text() const;

  std::vector<std::string> lines;
  std::vector<FunctionLines> functions;
};

/// `%9 = load i32, ptr %8, align 4` as its result, its opcode, and the parts between commas that
/// follow: `i32`, `ptr %8` and `align 4`. All are views of the line.
struct Instruction {
  explicit Instruction(std::string_view line);

  std::string_view result;  // empty: none
  std::string_view opcode;
  std::vector<std::string_view> operands;
};

/// What stands between commas outside of any bracket, without blanks around it. It ends where a
/// bracket closes that `text` did not open.
std::vector<std::string_view> split(std::string_view text);

/// The names of variables, functions, types and values in `text`, such as @table and %9.
std::vector<std::string_view> names_in(std::string_view text);

/// The function that a call calls, and its arguments. Empty: the line has no call by a name.
struct Call {
  explicit Call(std::string_view line);

  std::string_view callee;
  std::vector<std::string_view> arguments;
};

/// The pointer in an argument or operand, behind `ptr` and its attributes.
std::string_view pointer_in(std::string_view operand);

}  // namespace front
