// SPDX-License-Identifier: MIT
// Products of matrices against the formulas of the PTX manual, written out for each shape, with
// numbers whose sums are exact.
#include <cmath>
#include <map>

#include "tests/opcodes/reference.h"

namespace opcodes {
namespace {

using U64 = std::uint64_t;

struct Place {
  int row, column;
};
// Element i of a lane's fragment, as in the manual.
Place a_of_16816(int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  return {i < 2 || (i >= 4 && i < 6) ? group : group + 8, thread * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
Place b_of_16816(int lane, int i) { return {lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane >> 2}; }
Place a_of_16832(int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  return {i < 4 || (i >= 8 && i < 12) ? group : group + 8,
          thread * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
}
Place b_of_16832(int lane, int i) {
  return {lane % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0), lane >> 2};
}
Place a_of_1688_tf32(int lane, int i) {
  return {i == 0 || i == 2 ? lane >> 2 : (lane >> 2) + 8, i < 2 ? lane % 4 : lane % 4 + 4};
}
Place b_of_1688_tf32(int lane, int i) { return {i == 0 ? lane % 4 : lane % 4 + 4, lane >> 2}; }
Place a_of_16816_f64(int lane, int i) {
  return {i % 2 == 0 ? lane >> 2 : (lane >> 2) + 8, (i % 2 == 0 ? i * 2 : i * 2 - 2) + lane % 4};
}
Place b_of_16816_f64(int lane, int i) { return {lane % 4 + i * 4, lane >> 2}; }
Place a_of_1688_f16(int lane, int i) {
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1)};
}
Place b_of_1688_f16(int lane, int i) { return {lane % 4 * 2 + i, lane >> 2}; }
Place a_of_888_s4(int lane, int i) { return {lane >> 2, lane % 4 * 8 + i}; }
Place b_of_888_s4(int lane, int i) { return {lane % 4 * 8 + i, lane >> 2}; }
Place c_of(int lane, int i) {
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1)};
}

double half(U64 bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double x = exponent == 0
                       ? std::ldexp(static_cast<double>(bits & 1023), -24)
                       : std::ldexp(static_cast<double>(1024 + (bits & 1023)), exponent - 25);
  return (bits & 0x8000) != 0 ? -x : x;
}
double float_of(U64 bits) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits)); }

struct Shape {
  const char* words;
  char letter;  // of the registers
  int m, k, a_registers, b_registers, c_registers, per_register;
  const char *ab_domain, *c_domain;
  Place (*a_place)(int, int);
  Place (*b_place)(int, int);
  double (*number)(U64, int);  // element of a register
  double (*accumulator)(U64);
  U64 (*result)(double);
};

double f16_at(U64 word, int i) { return half(word >> 16 * i & 0xffff); }
double bf16_at(U64 word, int i) { return float_of((word >> 16 * i & 0xffff) << 16); }
double s8_at(U64 word, int i) { return static_cast<std::int8_t>(word >> 8 * i); }
double s4_at(U64 word, int i) { return static_cast<std::int8_t>((word >> 4 * i & 15) << 4) / 16; }
double f32_at(U64 word, int) { return float_of(word); }
double f64_at(U64 word, int) { return __builtin_bit_cast(double, word); }
double f64_in(U64 word) { return __builtin_bit_cast(double, word); }
double s32_in(U64 word) { return static_cast<std::int32_t>(word); }
U64 f32_out(double x) { return __builtin_bit_cast(std::uint32_t, static_cast<float>(x)); }
U64 f64_out(double x) { return __builtin_bit_cast(U64, x); }
U64 s32_out(double x) { return static_cast<U64>(static_cast<std::int64_t>(x)) & 0xffffffff; }

const Shape kShapes[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32", 'r', 16, 16, 4, 2, 4, 2, "f16x2_small", "f32_small",
     a_of_16816, b_of_16816, f16_at, float_of, f32_out},
    {"m16n8k8.row.col.f32.f16.f16.f32", 'r', 16, 8, 2, 1, 4, 2, "f16x2_small", "f32_small",
     a_of_1688_f16, b_of_1688_f16, f16_at, float_of, f32_out},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 'r', 16, 16, 4, 2, 4, 2, "bf16x2_small", "f32_small",
     a_of_16816, b_of_16816, bf16_at, float_of, f32_out},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 'r', 16, 8, 4, 2, 4, 1, "f32_small", "f32_small",
     a_of_1688_tf32, b_of_1688_tf32, f32_at, float_of, f32_out},
    {"m16n8k32.row.col.s32.s8.s8.s32", 'r', 16, 32, 4, 2, 4, 4, "i32", "i32", a_of_16832,
     b_of_16832, s8_at, s32_in, s32_out},
    {"m8n8k32.row.col.s32.s4.s4.s32", 'r', 8, 32, 1, 1, 2, 8, "i32", "i32", a_of_888_s4,
     b_of_888_s4, s4_at, s32_in, s32_out},
    {"m16n8k16.row.col.f64.f64.f64.f64", 'd', 16, 16, 8, 4, 4, 1, "f64_small", "f64_small",
     a_of_16816_f64, b_of_16816_f64, f64_at, f64_in, f64_out},
};

TEST(MatrixReference, Products) {
  for (const Shape& shape : kShapes) {
    std::vector<std::string> names[4];
    int number = 50;
    const auto group = [&](int which, int count, int first) {
      std::string text = "{";
      for (int r = 0; r < count; ++r) {
        names[which].push_back(std::string("%") + shape.letter + std::to_string(first + r));
        text += (r != 0 ? ", " : "") + names[which].back();
      }
      return text + "}";
    };
    std::string text =
        "mma.sync.aligned." + std::string(shape.words) + " " + group(0, shape.c_registers, 0);
    for (const auto& [which, count] :
         {std::pair{1, shape.a_registers}, {2, shape.b_registers}, {3, shape.c_registers}}) {
      text += ", " + group(which, count, number);
      number += count;
    }
    OneWarp warp(text);
    std::map<std::pair<int, int>, double> a, b, c;
    int source = 0;
    for (const int which : {1, 2, 3}) {
      for (std::size_t r = 0; r < names[which].size(); ++r, ++source) {
        for (int lane = 0; lane < 32; ++lane) {
          const U64 word =
              operand(which == 3 ? shape.c_domain : shape.ab_domain, 1056 + lane, source);
          warp.set(names[which][r], lane, word);
          if (which == 3) {
            const Place place = c_of(lane, static_cast<int>(r));
            c[{place.row, place.column}] =
                shape.accumulator(word & (shape.letter == 'r' ? 0xffffffff : ~U64{0}));
            continue;
          }
          for (int i = 0; i < shape.per_register; ++i) {
            const int index = static_cast<int>(r) * shape.per_register + i;
            const Place place =
                which == 1 ? shape.a_place(lane, index) : shape.b_place(lane, index);
            (which == 1 ? a : b)[{place.row, place.column}] = shape.number(word, i);
          }
        }
      }
    }
    ASSERT_EQ(a.size(), static_cast<std::size_t>(shape.m * shape.k)) << text;
    ASSERT_EQ(b.size(), static_cast<std::size_t>(8 * shape.k)) << text;
    warp.run();
    for (int lane = 0; lane < 32; ++lane) {
      for (int r = 0; r < shape.c_registers; ++r) {
        const Place place = c_of(lane, r);
        double sum = c[{place.row, place.column}];
        for (int k = 0; k < shape.k; ++k) sum += a[{place.row, k}] * b[{k, place.column}];
        ASSERT_EQ(warp.get(names[0][static_cast<std::size_t>(r)], lane), shape.result(sum))
            << text << " lane " << lane;
      }
    }
  }
}

TEST(MatrixReference, WmmaMultipliesWhatItsOwnLayoutHolds) {
  // a: row i is all i, b: column j is all j, in k = 16; so d is 16 * i * j.
  std::string text = "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 ";
  const auto group = [](int first) {
    std::string list = "{";
    for (int r = 0; r < 8; ++r) list += (r != 0 ? ", %r" : "%r") + std::to_string(first + r);
    return list + "}";
  };
  text += group(0) + ", " + group(50) + ", " + group(58) + ", " + group(66);
  OneWarp warp(text);
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < 8; ++r) {
      const int row = lane / 4 + 8 * (r % 2), column = lane / 4 + 8 * (r % 4 / 2);
      const U64 a = half_of_small(row), b = half_of_small(column);
      warp.set("%r" + std::to_string(50 + r), lane, a | a << 16);
      warp.set("%r" + std::to_string(58 + r), lane, b | b << 16);
      warp.set("%r" + std::to_string(66 + r), lane, 0);
    }
  }
  warp.run();
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < 8; ++r) {
      const int row = lane / 4 + 8 * (r % 4 / 2), column = 8 * (r / 4) + lane % 4 * 2 + r % 2;
      EXPECT_EQ(float_of(warp.get("%r" + std::to_string(r), lane)), 16.0 * row * column);
    }
  }
}

TEST(MatrixReference, MovmatrixTransposes) {
  OneWarp warp("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r50");
  for (int lane = 0; lane < 32; ++lane) {
    const U64 row = static_cast<U64>(lane) / 4, column = static_cast<U64>(lane) % 4 * 2;
    warp.set("%r50", lane, (row * 16 + column) | (row * 16 + column + 1) << 16);
  }
  warp.run();
  for (int lane = 0; lane < 32; ++lane) {
    const U64 row = static_cast<U64>(lane) / 4, column = static_cast<U64>(lane) % 4 * 2;
    EXPECT_EQ(warp.get("%r0", lane), (column * 16 + row) | ((column + 1) * 16 + row) << 16);
  }
}

}  // namespace
}  // namespace opcodes
