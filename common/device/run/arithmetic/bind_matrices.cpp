// SPDX-License-Identifier: MIT
// Spellings of mma, wmma.mma and movmatrix. Sparse ones, and those of sm_100, are not among them.
#include <cstdio>

#include "run/arithmetic/binder.h"
#include "run/arithmetic/fragment.h"

namespace run::arithmetic {

namespace {

struct Spelled {
  std::string_view word;
  Element element;
  int bits;
};
constexpr Spelled kElements[] = {
    {"f16", Element::kF16, 16}, {"bf16", Element::kBF16, 16}, {"tf32", Element::kTF32, 32},
    {"f64", Element::kF64, 64}, {"e4m3", Element::kE4M3, 8},  {"e5m2", Element::kE5M2, 8},
    {"u8", Element::kU8, 8},    {"s8", Element::kS8, 8},      {"u4", Element::kU4, 4},
    {"s4", Element::kS4, 4},    {"b1", Element::kB1, 1},
};

const Spelled& element_of(Binder& binder, std::string_view word) {
  for (const Spelled& spelled : kElements) {
    if (spelled.word == word) return spelled;
  }
  binder.refuse();
}

struct Shape {
  int m, n, k;
};
// Which shapes a type of element has, in mma and in wmma.
bool has_shape(Element element, const Shape& s, bool is_wmma) {
  const auto is = [&](int m, int n, int k) { return s.m == m && s.n == n && s.k == k; };
  const bool is_warp_tile = is(16, 16, 16) || is(8, 32, 16) || is(32, 8, 16);
  switch (element) {
    case Element::kF16:
      return is_wmma ? is_warp_tile : is(16, 8, 8) || is(16, 8, 16) || is(8, 8, 4);
    case Element::kBF16:
      return is_wmma ? is_warp_tile : is(16, 8, 8) || is(16, 8, 16);
    case Element::kTF32:
      return is_wmma ? is(16, 16, 8) : is(16, 8, 4) || is(16, 8, 8);
    case Element::kF64:
      return is(8, 8, 4) || (!is_wmma && (is(16, 8, 4) || is(16, 8, 8) || is(16, 8, 16)));
    case Element::kE4M3:
    case Element::kE5M2:
      return !is_wmma && (is(16, 8, 32) || is(16, 8, 16));
    case Element::kU8:
    case Element::kS8:
      return is_wmma ? is_warp_tile : is(8, 8, 16) || is(16, 8, 16) || is(16, 8, 32);
    case Element::kU4:
    case Element::kS4:
      return is(8, 8, 32) || (!is_wmma && (is(16, 8, 32) || is(16, 8, 64)));
    case Element::kB1:
      return is(8, 8, 128) || (!is_wmma && (is(16, 8, 128) || is(16, 8, 256)));
  }
  return false;
}

bool is_integer_element(Element element) {
  return element == Element::kU8 || element == Element::kS8 || element == Element::kU4 ||
         element == Element::kS4 || element == Element::kB1;
}

// The accumulator's types that go with an element's.
bool has_accumulator(Element element, Type type) {
  if (is_integer_element(element)) return type == Type::kS32;
  if (element == Element::kF64) return type == Type::kF64;
  const bool allows_half =
      element == Element::kF16 || element == Element::kE4M3 || element == Element::kE5M2;
  return type == Type::kF32 || (type == Type::kF16 && allows_half);
}

// Reads the registers of operand `index`, which a fragment needs in that number.
void read_rows(Binder& binder, std::size_t index, int count, Type type, bool is_destination,
               std::uint32_t* rows) {
  const code::Operand& operand = binder.operand(index);
  const auto offset = [&](const code::Operand& element) {
    return is_destination ? binder.destination(element, type) : binder.source(element, type);
  };
  if (operand.elements.empty() && count == 1) {
    rows[0] = offset(operand);
    return;
  }
  if (operand.elements.size() != static_cast<std::size_t>(count)) {
    binder.refuse("a fragment has another number of registers");
  }
  for (int k = 0; k < count; ++k) rows[k] = offset(operand.elements[static_cast<std::size_t>(k)]);
}

void read_fragments(Binder& binder, Matrix* matrix, int a_bits, int b_bits, bool is_wmma) {
  const auto per = [](int bits) { return bits == 64 ? 1 : 32 / bits; };
  int num_a = registers_of_a(matrix->m, matrix->k, per(a_bits));
  int num_b = registers_of_b(matrix->n, matrix->k, per(b_bits));
  if (is_wmma && matrix->a == Element::kF16) num_a = num_b = 8;
  int num_elements = matrix->m * matrix->n / 32;
  if (matrix->is_quad_pairs) {
    num_a = num_b = 2;
    num_elements = 8;
  }
  const Type fragment = matrix->a == Element::kF64 ? Type::kB64 : Type::kB32;
  const auto count = [&](Type type) {
    return type == Type::kF16 ? num_elements / 2 : num_elements;
  };
  const auto in = [](Type type) { return type == Type::kF64 ? Type::kB64 : Type::kB32; };
  binder.expect_operands(4);
  read_rows(binder, 1, num_a, fragment, false, matrix->a_rows);
  read_rows(binder, 2, num_b, fragment, false, matrix->b_rows);
  read_rows(binder, 3, count(matrix->c), in(matrix->c), false, matrix->c_rows);
  read_rows(binder, 0, count(matrix->d), in(matrix->d), true, matrix->d_rows);
}

bool bind_multiply(Binder& binder, bool is_wmma) {
  Matrix matrix;
  binder.take("sync");
  if (!binder.take("aligned")) binder.refuse();
  const bool is_xor = binder.take("xor");
  matrix.is_and = binder.take("and");
  const bool counts = binder.take("popc");
  matrix.satfinite = binder.take("satfinite");
  if (is_wmma) binder.take("rn");
  // Layouts come in the order a, b.
  bool by_column[2] = {false, true};
  Shape shape = {};
  std::string_view word = binder.word();
  for (int layouts = 0; !word.empty(); word = binder.word()) {
    if (word == "row" || word == "col") {
      if (layouts == 2) binder.refuse();
      by_column[layouts++] = word == "col";
    } else if (std::sscanf(std::string(word).c_str(), "m%dn%dk%d", &shape.m, &shape.n, &shape.k) !=
               3) {
      break;
    }
  }
  matrix.a_by_column = by_column[0];
  matrix.b_by_column = by_column[1];
  matrix.m = shape.m;
  matrix.n = shape.n;
  matrix.k = shape.k;
  matrix.d = ptx::type_named(word);
  std::string_view second = binder.word(), third = binder.word();
  std::string_view fourth = binder.word();
  if (is_wmma && third.empty()) {  // f16: only d and c are named
    fourth = second;
    second = third = "f16";
  }
  const Spelled& a = element_of(binder, second);
  const Spelled& b = element_of(binder, third);
  matrix.a = a.element;
  matrix.b = b.element;
  matrix.c = ptx::type_named(fourth);
  const bool is_single_bit = a.element == Element::kB1;
  if (counts != is_single_bit || (is_xor || matrix.is_and) != is_single_bit) binder.refuse();
  if (a.bits != b.bits || is_integer_element(a.element) != is_integer_element(b.element)) {
    binder.refuse();
  }
  const bool may_differ = a.bits == 8 || a.bits == 4;
  if (a.element != b.element && !may_differ) binder.refuse();
  if (!has_shape(a.element, shape, is_wmma)) binder.refuse();
  if (!has_accumulator(a.element, matrix.c) || !has_accumulator(a.element, matrix.d)) {
    binder.refuse();
  }
  if (matrix.satfinite && (!is_integer_element(a.element) || is_single_bit)) binder.refuse();
  matrix.is_quad_pairs = !is_wmma && a.element == Element::kF16 && shape.k == 4;
  if (!is_wmma && !matrix.is_quad_pairs && (by_column[0] || !by_column[1])) binder.refuse();
  read_fragments(binder, &matrix, a.bits, b.bits, is_wmma);
  binder.details(matrix);
  binder.finish(run_matrix);
  return true;
}

bool bind_transpose(Binder& binder) {
  if (!binder.take("sync") || !binder.take("aligned") || !binder.take("m8n8") ||
      !binder.take("trans") || binder.type() != Type::kB16) {
    binder.refuse();
  }
  binder.rows(Type::kB32, Type::kB32);
  binder.finish(run_transpose);
  return true;
}

}  // namespace

bool bind_matrices(Binder& binder, std::string_view opcode) {
  if (opcode == "movmatrix") return bind_transpose(binder);
  if (opcode == "mma") {
    if (binder.has("sp") || binder.has("sp::ordered_metadata")) {
      binder.refuse("sparse products are not offered");
    }
    return bind_multiply(binder, false);
  }
  if (opcode == "wmma" && binder.take("mma")) return bind_multiply(binder, true);
  return false;
}

}  // namespace run::arithmetic
