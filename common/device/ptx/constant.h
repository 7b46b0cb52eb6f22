// SPDX-License-Identifier: MIT
// Constant expressions: (a + b) * 4, -1, 0x10U, 1.5, 0f3F800000, WARP_SZ.
// Source: PTX ISA 8.7, 4.5 "Constants": integers have 64 bits, and C's operators and their order.
#pragma once

#include <cstdint>

#include "ptx/lexer.h"

namespace ptx {

struct Constant {
  Token::Kind kind = Token::Kind::kInteger;  // or kFloat32, kFloat64
  bool is_unsigned = false;                  // of an integer
  std::uint64_t bits = 0;
};

// How deep parentheses, vectors and addresses may be nested: the parser recurses.
inline constexpr int kMaxNesting = 64;

// The current token begins an expression.
bool begins_constant(const Lexer& lexer);
Constant parse_constant(Lexer& lexer, int depth = 0);
// {+ term} {- term} after a name: the sum of the terms, 0 without any.
std::int64_t parse_offset(Lexer& lexer);
// An integer, for a length or an alignment.
std::uint64_t parse_size(Lexer& lexer, std::string_view what);

}  // namespace ptx
