// SPDX-License-Identifier: MIT
// The table of one level.
#include "run/arithmetic/parts.h"

LAB_BEGIN_LEVEL

extern const Kernels kTable;
const Kernels kTable = {
    .integer = pick_integer,
    .carry = pick_carry,
    .bits = pick_bits,
    .dot = pick_dot,
    .predicate = pick_predicate,
    .compare = pick_compare,
    .setp = run_setp,
    .set = run_set,
    .set_halves = run_set_halves,
    .test = pick_test,
    .floating = pick_float,
    .approx = pick_approx,
    .convert = run_convert,
    .quick_convert = pick_quick_convert,
    .convert_pair = run_convert_pair,
    .quick_pair = pick_quick_pair,
    .convert_pack = run_convert_pack,
    .pack = run_pack,
    .unpack = run_unpack,
    .quick_move = pick_quick_move,
    .lop3_predicate = run_lop3_predicate,
    .matrix = run_matrix,
    .transpose = run_transpose,
};

LAB_END_LEVEL
