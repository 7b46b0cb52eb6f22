// SPDX-License-Identifier: MIT
// The functions that choose handlers, one per source file of a level. level.cpp gathers them.
#pragma once

#include "run/arithmetic/kernels.h"
#include "run/arithmetic/level.h"

LAB_BEGIN_LEVEL

Handler pick_integer(Integer operation, Type type);
Handler pick_carry(Carry operation, Type type, bool uses, bool sets);
Handler pick_bits(Bits operation, Type type);
Handler pick_dot(int num_elements, bool a_signed, bool b_signed, bool high);
Handler pick_predicate(Bits operation);
Comparer pick_compare(Compare comparison, Type type, bool ftz);
const code::Op* run_setp(Warp& warp, const code::Op* op, std::uint32_t lanes);
const code::Op* run_set(Warp& warp, const code::Op* op, std::uint32_t lanes);
const code::Op* run_set_halves(Warp& warp, const code::Op* op, std::uint32_t lanes);
Handler pick_test(TestFloat test, Type type);
Handler pick_float(Float operation, Type type, FloatFlags flags);
Handler pick_half(Float operation, Type type, FloatFlags flags);
Handler pick_approx(Approx operation, Type type, FloatFlags flags);
const code::Op* run_convert(Warp& warp, const code::Op* op, std::uint32_t lanes);
const code::Op* run_convert_pair(Warp& warp, const code::Op* op, std::uint32_t lanes);
const code::Op* run_convert_pack(Warp& warp, const code::Op* op, std::uint32_t lanes);
Handler pick_quick_pair(const ConvertPair& pair);
const code::Op* run_pack(Warp& warp, const code::Op* op, std::uint32_t lanes);
const code::Op* run_unpack(Warp& warp, const code::Op* op, std::uint32_t lanes);
Handler pick_quick_move(const MoveRows& rows, bool is_pack);
const code::Op* run_lop3_predicate(Warp& warp, const code::Op* op, std::uint32_t lanes);
const code::Op* run_matrix(Warp& warp, const code::Op* op, std::uint32_t lanes);
const code::Op* run_transpose(Warp& warp, const code::Op* op, std::uint32_t lanes);
Handler pick_quick_convert(const Convert& convert);

LAB_END_LEVEL
