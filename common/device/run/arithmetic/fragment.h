// SPDX-License-Identifier: MIT
// Which element of a matrix a lane holds in which register: for mma, where PTX says so, and for
// wmma, where it does not and where this is our choice. wmma's loads and stores use these
// functions, too.
//
// One rule describes all shapes of mma but m8n8k4 of f16. With `per_register` elements in a
// register (2 of f16, 4 of s8, 1 of tf32 and f64), lane = 4 * g + t:
//   a  row g + 8 * (r % (m / 8)), columns from t * per_register, plus 4 * per_register for each
//      m / 8 registers
//   b  column g, rows from t * per_register; k / (4 * per_register) registers for each 8 columns
//   c, d  row g + 8 * (i / 2), column 2 * t + i % 2; m / 4 elements for each 8 columns
// wmma's fragments follow the rule for their own m, n and k. Fragments of f16 have 8 registers
// always; where fewer are needed the others repeat them: register r holds what r % needed holds.
// Source: PTX ISA 8.7, "Matrix fragments for mma.m16n8k16" and its neighbours.
#pragma once

namespace run::arithmetic {

struct Place {
  int row = 0;
  int column = 0;
};

// Element `element` of register `reg`.
constexpr Place place_in_a(int m, int per_register, int lane, int reg, int element) {
  return {lane / 4 + 8 * (reg % (m / 8)),
          (reg / (m / 8)) * 4 * per_register + lane % 4 * per_register + element};
}
constexpr Place place_in_b(int k, int per_register, int lane, int reg, int element) {
  const int registers = k / (4 * per_register);
  return {reg % registers * 4 * per_register + lane % 4 * per_register + element,
          lane / 4 + 8 * (reg / registers)};
}
// Element `index` of c or d: of f16, register index / 2 holds it in half index % 2.
constexpr Place place_in_c(int m, int lane, int index) {
  const int in_block = index % (m / 4);
  return {lane / 4 + 8 * (in_block / 2), 8 * (index / (m / 4)) + lane % 4 * 2 + in_block % 2};
}

constexpr int registers_of_a(int m, int k, int per_register) { return m * k / (32 * per_register); }
constexpr int registers_of_b(int n, int k, int per_register) { return n * k / (32 * per_register); }

// m8n8k4 of f16: the lanes 4 q .. 4 q + 3 and 16 + 4 q .. 16 + 4 q + 3 compute product q alone.
// `index` counts the elements of a lane: 4 of a and b, 8 of c and d.
constexpr Place quad_place_in_a(bool by_column, int lane, int index) {
  const int half = lane < 16 ? 0 : 4;
  if (by_column) return {index + half, lane % 4};
  return {lane % 4 + half, index};
}
constexpr Place quad_place_in_b(bool by_column, int lane, int index) {
  const int half = lane < 16 ? 0 : 4;
  if (by_column) return {index, lane % 4 + half};
  return {lane % 4, index + half};
}
constexpr Place quad_place_in_c(bool is_f32, int lane, int index) {
  const int half = lane < 16 ? 0 : 4;
  if (!is_f32) return {lane % 4 + half, index};
  return {(lane & 1) + (index & 2) + half, (index & 4) + (lane & 2) + (index & 1)};
}

}  // namespace run::arithmetic
