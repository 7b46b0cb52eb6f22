// SPDX-License-Identifier: MIT
// mma, wmma.mma, movmatrix. Products of f16, bf16, tf32 and fp8 are exact in double; c and the
// products are added in double, in the order of k, and rounded once at the end, to the nearest.
// So a result is at most half a unit of its last place, and k + 1 units of 2^-53 of the greatest
// partial sum, from the exact one. Tensor cores align the products of a step to the greatest one,
// cut them, and add: their results differ in the last bits where the sum is not exact in f32.
// f64: a chain of fused multiply-adds in the order of k. Integers: exact, modulo 2^32.
#include "run/arithmetic/fragment.h"
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/number.h"

namespace run::arithmetic {

namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;

LAB_INLINE int bits_of_element(Element element) {
  switch (element) {
    case Element::kF16:
    case Element::kBF16:
      return 16;
    case Element::kTF32:
      return 32;
    case Element::kF64:
      return 64;
    case Element::kU4:
    case Element::kS4:
      return 4;
    case Element::kB1:
      return 1;
    default:
      return 8;
  }
}

// Element `index` of each lane's word, as numbers.
void numbers_in(const U32* words, Element element, int index, double* to) {
  switch (element) {
    case Element::kF16:
      LAB_FOR_LANES(i) {
        to[i] = static_cast<double>(widen(F16{static_cast<std::uint16_t>(words[i] >> 16 * index)}));
      }
      return;
    case Element::kBF16:
      LAB_FOR_LANES(i) {
        to[i] =
            static_cast<double>(widen(BF16{static_cast<std::uint16_t>(words[i] >> 16 * index)}));
      }
      return;
    case Element::kTF32:  // the low 13 bits are not read
      LAB_FOR_LANES(i) to[i] = static_cast<double>(float_of(words[i] & 0xffffe000));
      return;
    case Element::kE5M2:
      LAB_FOR_LANES(i) {
        to[i] = static_cast<double>(
            widen(F16{static_cast<std::uint16_t>((words[i] >> 8 * index & 0xff) << 8)}));
      }
      return;
    default:
      LAB_FOR_LANES(i) {
        const U32 byte = words[i] >> 8 * index & 0xff;
        const float finite = float_of((byte & 0x7f) << 20) * 0x1p120f;
        const float value = (byte & 0x7f) == 0x7f ? float_of(kCanonicalNan32) : finite;
        to[i] = static_cast<double>((byte & 0x80) != 0 ? -value : value);
      }
  }
}

inline constexpr int kMostM = 32, kMostN = 32;

LAB_INLINE double multiplied(double a, double b, double c, bool is_f64) {
#if defined(__FMA__) || defined(__aarch64__)
  (void)is_f64;
  return __builtin_fma(a, b, c);
#else
  return is_f64 ? __builtin_fma(a, b, c) : a * b + c;  // the product is exact
#endif
}

template <bool is_f64>
void multiply(const double* a, const double* b, double* c, int m, int n, int k) {
  for (int row = 0; row < m; ++row) {
    for (int block = 0; block < n; block += 8) {
      double sum[8];
      for (int j = 0; j < 8; ++j) sum[j] = c[row * n + block + j];
      for (int step = 0; step < k; ++step) {
        const double left = a[row * k + step];
        for (int j = 0; j < 8; ++j) {
          sum[j] = multiplied(left, b[step * n + block + j], sum[j], is_f64);
        }
      }
      for (int j = 0; j < 8; ++j) c[row * n + block + j] = sum[j];
    }
  }
}

// The accumulators of a warp, and back. `index` counts the elements of a lane.
void accumulators_in(Warp& warp, const U32* rows, Type type, int index, double* to) {
  if (type == Type::kF64) {
    const U64* words = row<U64>(warp, rows[index]);
    LAB_FOR_LANES(i) to[i] = double_of(words[i]);
  } else if (type == Type::kF32) {
    const U32* words = row<U32>(warp, rows[index]);
    LAB_FOR_LANES(i) to[i] = static_cast<double>(float_of(words[i]));
  } else {
    numbers_in(row<U32>(warp, rows[index / 2]), Element::kF16, index % 2, to);
  }
}

// Rounded once: a sum in double that is no f32 and no f16 may lie next to a middle of the latter.
LAB_INLINE std::uint16_t half_of(double x) {
  if (x != x) return kCanonicalNan16;
  const std::uint16_t sign = bits_of(x) >> 63 != 0 ? 0x8000 : 0;
  if (__builtin_fabs(x) >= 65520.0) return 0x7c00 | sign;
  return static_cast<std::uint16_t>(magnitude_in<10, -14>(x, Rounding::kNearest)) | sign;
}

void store_accumulators(Warp& warp, const U32* rows, Type type, int index, const double (*from)[32],
                        std::uint32_t lanes) {
  if (type == Type::kF64) {
    U64 words[32];
    LAB_FOR_LANES(i) {
      words[i] = from[0][i] != from[0][i] ? bits_of(from[0][i]) | kQuiet64 : bits_of(from[0][i]);
    }
    blend(row<U64>(warp, rows[index]), words, lanes);
  } else if (type == Type::kF32) {
    U32 words[32];
    LAB_FOR_LANES(i) words[i] = bits_of(canonical(static_cast<float>(from[0][i])));
    blend(row<U32>(warp, rows[index]), words, lanes);
  } else {
    U32 words[32];
    for (int i = 0; i < 32; ++i) {
      words[i] = half_of(from[0][i]) | static_cast<U32>(half_of(from[1][i])) << 16;
    }
    blend(row<U32>(warp, rows[index / 2]), words, lanes);
  }
}

// Where the lanes of a warp have their elements, in matrices by rows. A lane's part of an index
// does not depend on the register, and the register's part does not depend on the lane.
struct Places {
  int a[32], b[32], c[32];
};
void find_places(const Matrix& x, int per, int in_step, Places* places) {
  for (int lane = 0; lane < 32; ++lane) {
    const Place in_a = place_in_a(x.m, per, lane, 0, 0), in_b = place_in_b(x.k, per, lane, 0, 0),
                in_c = place_in_c(x.m, lane, 0);
    places->a[lane] = in_a.row * (x.k / in_step) + in_a.column / in_step;
    places->b[lane] = in_b.row / in_step * x.n + in_b.column;
    places->c[lane] = in_c.row * x.n + in_c.column;
  }
}
LAB_INLINE int offset_in_a(const Matrix& x, int per, int in_step, int reg, int element) {
  const Place place = place_in_a(x.m, per, 0, reg, element);
  return place.row * (x.k / in_step) + place.column / in_step;
}
LAB_INLINE int offset_in_b(const Matrix& x, int per, int in_step, int reg, int element) {
  const Place place = place_in_b(x.k, per, 0, reg, element);
  return place.row / in_step * x.n + place.column;
}
LAB_INLINE int offset_in_c(const Matrix& x, int index) {
  const Place place = place_in_c(x.m, 0, index);
  return place.row * x.n + place.column;
}
template <class T>
LAB_INLINE void scatter(T* to, const int* places, const T* values) {
  for (int lane = 0; lane < 32; ++lane) to[places[lane]] = values[lane];
}
template <class T>
LAB_INLINE void gather(T* values, const int* places, const T* from) {
  for (int lane = 0; lane < 32; ++lane) values[lane] = from[places[lane]];
}

void run_floats(Warp& warp, const Matrix& x, std::uint32_t lanes) {
  const int per = x.a == Element::kF64 ? 1 : 32 / bits_of_element(x.a);
  alignas(64) double a[kMostM * 32], b[32 * kMostN], c[kMostM * kMostN], values[2][32];
  Places places;
  find_places(x, per, 1, &places);
  const auto fill = [&](const U32* rows, Element element, int reg, int index) {
    if (element == Element::kF64) {
      const U64* words = row<U64>(warp, rows[reg]);
      LAB_FOR_LANES(i) values[0][i] = double_of(words[i]);
    } else {
      numbers_in(row<U32>(warp, rows[reg]), element, index, values[0]);
    }
  };
  for (int reg = 0; reg < registers_of_a(x.m, x.k, per); ++reg) {
    for (int index = 0; index < per; ++index) {
      fill(x.a_rows, x.a, reg, index);
      scatter(a + offset_in_a(x, per, 1, reg, index), places.a, values[0]);
    }
  }
  for (int reg = 0; reg < registers_of_b(x.n, x.k, per); ++reg) {
    for (int index = 0; index < per; ++index) {
      fill(x.b_rows, x.b, reg, index);
      scatter(b + offset_in_b(x, per, 1, reg, index), places.b, values[0]);
    }
  }
  const int per_lane = x.m * x.n / 32;
  for (int index = 0; index < per_lane; ++index) {
    accumulators_in(warp, x.c_rows, x.c, index, values[0]);
    scatter(c + offset_in_c(x, index), places.c, values[0]);
  }
  if (x.a == Element::kF64) {
    multiply<true>(a, b, c, x.m, x.n, x.k);
  } else {
    multiply<false>(a, b, c, x.m, x.n, x.k);
  }
  const int at_once = x.d == Type::kF16 ? 2 : 1;
  for (int index = 0; index < per_lane; index += at_once) {
    for (int part = 0; part < at_once; ++part) {
      gather(values[part], places.c, c + offset_in_c(x, index + part));
    }
    store_accumulators(warp, x.d_rows, x.d, index, values, lanes);
  }
}

// m8n8k4 of f16: four products, each of 8 lanes.
void run_quad_pairs(Warp& warp, const Matrix& x, std::uint32_t lanes) {
  double a[4][8][4], b[4][4][8], c[4][8][8], values[2][32];
  for (int index = 0; index < 4; ++index) {
    numbers_in(row<U32>(warp, x.a_rows[index / 2]), Element::kF16, index % 2, values[0]);
    numbers_in(row<U32>(warp, x.b_rows[index / 2]), Element::kF16, index % 2, values[1]);
    for (int lane = 0; lane < 32; ++lane) {
      const int quad = lane % 16 / 4;
      const Place in_a = quad_place_in_a(x.a_by_column, lane, index);
      const Place in_b = quad_place_in_b(x.b_by_column, lane, index);
      a[quad][in_a.row][in_a.column] = values[0][lane];
      b[quad][in_b.row][in_b.column] = values[1][lane];
    }
  }
  for (int index = 0; index < 8; ++index) {
    accumulators_in(warp, x.c_rows, x.c, index, values[0]);
    for (int lane = 0; lane < 32; ++lane) {
      const Place place = quad_place_in_c(x.c == Type::kF32, lane, index);
      c[lane % 16 / 4][place.row][place.column] = values[0][lane];
    }
  }
  for (int quad = 0; quad < 4; ++quad) {
    multiply<false>(&a[quad][0][0], &b[quad][0][0], &c[quad][0][0], 8, 8, 4);
  }
  const int at_once = x.d == Type::kF16 ? 2 : 1;
  for (int index = 0; index < 8; index += at_once) {
    for (int part = 0; part < at_once; ++part) {
      for (int lane = 0; lane < 32; ++lane) {
        const Place place = quad_place_in_c(x.d == Type::kF32, lane, index + part);
        values[part][lane] = c[lane % 16 / 4][place.row][place.column];
      }
    }
    store_accumulators(warp, x.d_rows, x.d, index, values, lanes);
  }
}

LAB_INLINE U32 popc(U32 x) {
  x -= (x >> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
  return (((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
}

enum class Step : std::uint8_t { kProduct, kXor, kAnd };

// Sums of products of at most 8 bits fit into 32; c is added at the end, so that .satfinite
// saturates once.
template <Step step>
void multiply_integers(const S32* a, const S32* b, S32* sums, int m, int n, int k) {
  for (int row = 0; row < m; ++row) {
    for (int block = 0; block < n; block += 8) {
      S32 sum[8] = {};
      for (int at = 0; at < k; ++at) {
        const S32 left = a[row * k + at];
        for (int j = 0; j < 8; ++j) {
          const S32 right = b[at * n + block + j];
          if constexpr (step == Step::kProduct) {
            sum[j] += left * right;
          } else {
            sum[j] += static_cast<S32>(
                popc(static_cast<U32>(step == Step::kAnd ? left & right : left ^ right)));
          }
        }
      }
      for (int j = 0; j < 8; ++j) sums[row * n + block + j] = sum[j];
    }
  }
}

void integers_in(const U32* words, Element element, int index, S32* to) {
  switch (element) {
    case Element::kU8:
      LAB_FOR_LANES(i) to[i] = static_cast<S32>(words[i] >> 8 * index & 0xff);
      return;
    case Element::kS8:
      LAB_FOR_LANES(i) to[i] = static_cast<S32>(words[i] << (24 - 8 * index)) >> 24;
      return;
    case Element::kU4:
      LAB_FOR_LANES(i) to[i] = static_cast<S32>(words[i] >> 4 * index & 0xf);
      return;
    case Element::kS4:
      LAB_FOR_LANES(i) to[i] = static_cast<S32>(words[i] << (28 - 4 * index)) >> 28;
      return;
    default:  // 32 single bits
      LAB_FOR_LANES(i) to[i] = static_cast<S32>(words[i]);
  }
}

void run_integers(Warp& warp, const Matrix& x, std::uint32_t lanes) {
  const int per = 32 / bits_of_element(x.a);
  // With single bits, a step is a whole word; its place is that of its first bit.
  const int in_step = x.a == Element::kB1 ? 32 : 1, k = x.k / in_step;
  alignas(64) S32 a[kMostM * 64], b[64 * kMostN], sums[kMostM * kMostN], values[32];
  Places places;
  find_places(x, per, in_step, &places);
  for (int reg = 0; reg < registers_of_a(x.m, x.k, per); ++reg) {
    for (int index = 0; index < per; index += in_step) {
      integers_in(row<U32>(warp, x.a_rows[reg]), x.a, index, values);
      scatter(a + offset_in_a(x, per, in_step, reg, index), places.a, values);
    }
  }
  for (int reg = 0; reg < registers_of_b(x.n, x.k, per); ++reg) {
    for (int index = 0; index < per; index += in_step) {
      integers_in(row<U32>(warp, x.b_rows[reg]), x.b, index, values);
      scatter(b + offset_in_b(x, per, in_step, reg, index), places.b, values);
    }
  }
  if (x.a != Element::kB1) {
    multiply_integers<Step::kProduct>(a, b, sums, x.m, x.n, k);
  } else if (x.is_and) {
    multiply_integers<Step::kAnd>(a, b, sums, x.m, x.n, k);
  } else {
    multiply_integers<Step::kXor>(a, b, sums, x.m, x.n, k);
  }
  const int per_lane = x.m * x.n / 32;
  U32 results[32][32];  // a destination may be a source
  for (int index = 0; index < per_lane; ++index) {
    const U32* words = row<U32>(warp, x.c_rows[index]);
    gather(values, places.c, sums + offset_in_c(x, index));
    LAB_FOR_LANES(i) {
      const S32 sum = values[i];
      const U32 total = words[i] + static_cast<U32>(sum);
      const U32 limit = (words[i] >> 31) + 0x7fffffff;
      const bool overflows =
          static_cast<S32>((words[i] ^ total) & (static_cast<U32>(sum) ^ total)) < 0;
      results[index][i] = overflows && x.satfinite ? limit : total;
    }
  }
  for (int index = 0; index < per_lane; ++index) {
    blend(row<U32>(warp, x.d_rows[index]), results[index], lanes);
  }
}

}  // namespace

const Op* run_matrix(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Matrix& matrix = *static_cast<const Matrix*>(op->details);
  if (matrix.is_quad_pairs) {
    run_quad_pairs(warp, matrix, lanes);
  } else if (matrix.d == Type::kS32) {
    run_integers(warp, matrix, lanes);
  } else {
    run_floats(warp, matrix, lanes);
  }
  return op + 1;
}

// Element `column` of each of `num_rows` rows, as numbers, in row `column` of the result.
static void transpose_numbers(const std::byte* rows, int num_rows, Element element, double sign,
                              double* to) {
  const int per = 32 / bits_of_element(element);
  for (int begin = 0; begin < num_rows; begin += 32) {
    const int count = num_rows - begin < 32 ? num_rows - begin : 32;
    for (int word = 0; word < kWarpgroupRowBytes / 4; ++word) {
      U32 words[32] = {};
      double values[32];
      for (int i = 0; i < count; ++i) {
        __builtin_memcpy(&words[i], rows + (begin + i) * kWarpgroupRowBytes + 4 * word, 4);
      }
      for (int index = 0; index < per; ++index) {
        numbers_in(words, element, index, values);
        double* const line = to + (word * per + index) * num_rows + begin;
        for (int i = 0; i < count; ++i) line[i] = sign * values[i];
      }
    }
  }
}

void multiply_warpgroup(Warp& warp, const WarpgroupProduct& x, const std::byte* a,
                        const std::byte* b, bool accumulates, std::uint32_t lanes) {
  constexpr int kRows = 16;
  alignas(64) double columns[32 * kRows], left[kRows * 32];
  alignas(64) double right[32 * kMostWarpgroupN], sums[kRows * kMostWarpgroupN] = {};
  double values[2][32];
  transpose_numbers(a, kRows, x.a, x.negates ? -1.0 : 1.0, columns);
  for (int row = 0; row < kRows; ++row) {
    for (int step = 0; step < x.k; ++step) left[row * x.k + step] = columns[step * kRows + row];
  }
  transpose_numbers(b, x.n, x.b, 1.0, right);
  int places[32];
  for (int lane = 0; lane < 32; ++lane) {
    const Place place = place_in_c(kRows, lane, 0);
    places[lane] = place.row * x.n + place.column;
  }
  const auto offset = [&](int index) {
    const Place place = place_in_c(kRows, 0, index);
    return place.row * x.n + place.column;
  };
  const int per_lane = kRows * x.n / 32;
  for (int index = 0; accumulates && index < per_lane; ++index) {
    accumulators_in(warp, x.d_rows, x.d, index, values[0]);
    scatter(sums + offset(index), places, values[0]);
  }
  multiply<false>(left, right, sums, kRows, x.n, x.k);
  const int at_once = x.d == Type::kF16 ? 2 : 1;
  for (int index = 0; index < per_lane; index += at_once) {
    for (int part = 0; part < at_once; ++part) {
      gather(values[part], places, sums + offset(index + part));
    }
    store_accumulators(warp, x.d_rows, x.d, index, values, lanes);
  }
}

// movmatrix: row r of an 8 x 8 matrix of 16 bits is in the lanes 4 r to 4 r + 3.
const Op* run_transpose(Warp& warp, const Op* op, std::uint32_t lanes) {
  const U32* a = row<U32>(warp, op->a);
  U32 words[32];
  for (int lane = 0; lane < 32; ++lane) {
    const int at = lane / 4;  // the column that becomes this lane's row
    const U32 low = a[8 * (lane % 4) + at / 2] >> 16 * (at % 2) & 0xffff;
    const U32 high = a[8 * (lane % 4) + 4 + at / 2] >> 16 * (at % 2) & 0xffff;
    words[lane] = low | high << 16;
  }
  blend(row<U32>(warp, op->d), words, lanes);
  return op + 1;
}

}  // namespace run::arithmetic
