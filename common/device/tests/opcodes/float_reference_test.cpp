// SPDX-License-Identifier: MIT
// Floating-point numbers against references made in another way: the host's scalar arithmetic in
// each rounding mode for f32 and f64, and a search among all numbers of a format for small ones.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "tests/opcodes/reference.h"

namespace opcodes {
namespace {

using U64 = std::uint64_t;

float float_of(U64 bits) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits)); }
double double_of(U64 bits) { return __builtin_bit_cast(double, bits); }
U64 bits_of(float x) { return x != x ? 0x7fffffff : __builtin_bit_cast(std::uint32_t, x); }
U64 bits_of(double x) { return __builtin_bit_cast(U64, x); }

struct Mode {
  const char* name;
  int host;
};
constexpr Mode kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <class Function>
auto rounded(int mode, Function function) {
  std::fesetround(mode);
  const auto result = function();
  std::fesetround(FE_TONEAREST);
  return result;
}

// Not folded, not moved across the change of mode.
template <class T>
[[gnu::noipa]] T calculated(char operation, T a, T b, T c) {
  switch (operation) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case 'r':
      return T{1} / a;
    case 's':
      return std::sqrt(a);
    default:
      return std::fma(a, b, c);
  }
}

float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

// Whether x, rounded to 24 bits, stays below every normal f32.
[[gnu::noipa]] bool is_tiny(long double x) {
  return std::fabs(static_cast<float>(x * 0x1p24L)) < 0x1p-102f;
}

// A NaN of f64 in a format of `bits` bits: its sign, and the upper bits of its payload, made quiet.
U64 nan_of_f64(U64 nan, int bits, int stored) {
  const U64 exponent = (U64{1} << (bits - 1)) - (U64{1} << stored);
  return nan >> 63 << (bits - 1) | exponent |
         ((nan | 0x0008000000000000) & 0x000fffffffffffff) >> (52 - stored);
}

TEST(FloatReference, ArithmeticInEachMode) {
  const struct {
    const char* name;
    char operation;
    int count;
  } kOperations[] = {{"add", '+', 2}, {"sub", '-', 2},  {"mul", '*', 2}, {"div", '/', 2},
                     {"rcp", 'r', 1}, {"sqrt", 's', 1}, {"fma", 'f', 3}};
  for (const auto& op : kOperations) {
    for (const Mode& mode : kModes) {
      const auto count = static_cast<std::size_t>(op.count);
      for (const bool ftz : {false, true}) {
        compare(std::string(op.name) + "." + mode.name + (ftz ? ".ftz" : "") + ".f32", 'r',
                std::string(count, 'r'), std::vector<std::string>(count, "f32"), [&](const U64* s) {
                  const auto in = [&](U64 bits) {
                    return ftz ? flushed(float_of(bits)) : float_of(bits);
                  };
                  const float r = rounded(mode.host, [&] {
                    return calculated(op.operation, in(s[0]), in(s[1]), in(s[2]));
                  });
                  const bool is_flushed = ftz && rounded(mode.host, [&] {
                                            return is_tiny(calculated<long double>(
                                                op.operation, in(s[0]), in(s[1]), in(s[2])));
                                          });
                  return bits_of(is_flushed ? std::copysign(0.0f, r) : r);
                });
      }
      compare(std::string(op.name) + "." + mode.name + ".f64", 'd', std::string(count, 'd'),
              std::vector<std::string>(count, "f64"), [&](const U64* s) {
                const double r = rounded(mode.host, [&] {
                  return calculated(op.operation, double_of(s[0]), double_of(s[1]),
                                    double_of(s[2]));
                });
                if (r == r) return bits_of(r);
                const bool is_division = op.operation == '/';
                for (const std::size_t k : {is_division ? 0u : 1u, is_division ? 1u : 2u, 0u}) {
                  if (k < count && std::isnan(double_of(s[k]))) return s[k] | 0x0008000000000000;
                }
                return U64{0xfff8000000000000};
              });
    }
  }
}

// A format of 16 or 8 bits: all its finite magnitudes, by code.
struct Format {
  int bits, stored, least_exponent;
  bool has_infinity;
  U64 last() const { return has_infinity ? (U64{1} << (bits - 1)) - (U64{1} << stored) : 0x7f; }
  long double value(U64 code) const {
    const int exponent = static_cast<int>(code >> stored);
    const long double significand = static_cast<long double>(code & ((U64{1} << stored) - 1));
    const long double one = static_cast<long double>(U64{1} << stored);
    return exponent == 0 ? std::ldexp(significand, least_exponent - stored)
                         : std::ldexp(one + significand, least_exponent + exponent - 1 - stored);
  }
  // x: exact. Rounds between the two neighbours; beyond the last number there is one more.
  U64 rounded(long double x, int mode) const {
    const bool is_negative = std::signbit(x);
    const long double magnitude = std::fabs(x);
    U64 low = 0, high = last();
    while (high - low > 1) {
      const U64 middle = (low + high) / 2;
      (value(middle) <= magnitude ? low : high) = middle;
    }
    U64 code = low;
    if (magnitude >= value(high)) {
      const bool stops = mode == FE_TOWARDZERO || (mode == FE_DOWNWARD && !is_negative) ||
                         (mode == FE_UPWARD && is_negative);
      code = stops && !std::isinf(x) ? high - 1 : high;
    } else if (magnitude != value(low)) {
      const long double below = magnitude - value(low), above = value(high) - magnitude;
      bool up = mode == FE_TONEAREST && (below > above || (below == above && (low & 1) != 0));
      if (mode == FE_DOWNWARD) up = is_negative;
      if (mode == FE_UPWARD) up = !is_negative;
      if (up) ++code;
    }
    return code | (is_negative ? U64{1} << (bits - 1) : 0);
  }
  long double number(U64 word) const {
    const U64 code = word & ((U64{1} << (bits - 1)) - 1);
    const bool is_negative = (word >> (bits - 1) & 1) != 0;
    long double x = code > last() ? NAN : (code == last() && has_infinity ? INFINITY : value(code));
    if (!has_infinity && code == 0x7f) x = NAN;
    return is_negative ? -x : x;
  }
};
constexpr Format kF16 = {16, 10, -14, true}, kBF16 = {16, 7, -126, true};
constexpr Format kE4M3 = {8, 3, -6, false}, kE5M2 = {8, 2, -14, true};

TEST(FloatReference, ConversionsToSmallFormats) {
  const struct {
    const char* name;
    const Format& format;
  } kFormats[] = {{"f16", kF16}, {"bf16", kBF16}};
  for (const auto& to : kFormats) {
    for (const Mode& mode : kModes) {
      const std::string words = std::string("cvt.") + mode.name + "." + to.name;
      const auto result = [&](long double x) {
        return std::isnan(x) ? U64{0x7fff} : to.format.rounded(x, mode.host);
      };
      compare(words + ".f32", 'h', "r", {"f32"},
              [&](const U64* s) { return result(float_of(s[0])); });
      compare(words + ".f64", 'h', "d", {"f64"}, [&](const U64* s) {
        const double x = double_of(s[0]);
        return std::isnan(x) ? nan_of_f64(s[0], 16, to.format.stored) : result(x);
      });
      compare(words + ".s64", 'h', "d", {"i64"}, [&](const U64* s) {
        return result(static_cast<long double>(static_cast<std::int64_t>(s[0])));
      });
      compare(words + ".u32", 'h', "r", {"i32"},
              [&](const U64* s) { return result(static_cast<long double>(s[0])); });
    }
  }
  const auto to_8_bits = [](const Format& format, U64 greatest, U64 bits) {
    const long double x = float_of(bits);
    if (std::isnan(x)) return U64{0x7f};
    const U64 code = format.rounded(x, FE_TONEAREST);
    return std::min(code & 0x7f, greatest) | (code & 0x80);
  };
  compare("cvt.rn.satfinite.e4m3x2.f32", 'h', "rr", {"f32", "f32"}, [&](const U64* s) {
    return to_8_bits(kE4M3, 0x7e, s[0]) << 8 | to_8_bits(kE4M3, 0x7e, s[1]);
  });
  compare("cvt.rn.satfinite.e5m2x2.f32", 'h', "rr", {"f32", "f32"}, [&](const U64* s) {
    return to_8_bits(kE5M2, 0x7b, s[0]) << 8 | to_8_bits(kE5M2, 0x7b, s[1]);
  });
  for (const bool is_e4m3 : {true, false}) {
    const Format& format = is_e4m3 ? kE4M3 : kE5M2;
    const std::string name = is_e4m3 ? "e4m3x2" : "e5m2x2";
    compare("cvt.rn.f16x2." + name, 'r', "h", {name}, [&](const U64* s) {
      const auto half = [&](U64 byte) {
        const long double x = format.number(byte);
        return std::isnan(x) ? U64{0x7fff} : kF16.rounded(x, FE_TONEAREST);
      };
      return half(s[0] & 0xff) | half(s[0] >> 8) << 16;
    });
  }
}

long double integral(long double x, int mode) {
  if (mode == FE_TOWARDZERO) return std::trunc(x);
  if (mode == FE_DOWNWARD) return std::floor(x);
  return mode == FE_UPWARD ? std::ceil(x) : std::nearbyint(x);
}

TEST(FloatReference, ConversionsOfIntegersAndFloats) {
  for (const Mode& mode : kModes) {
    const std::string words = std::string("cvt.") + mode.name;
    const auto in_mode = [&](auto function) { return rounded(mode.host, function); };
    compare(words + ".f32.s64", 'r', "d", {"i64"}, [&](const U64* s) {
      volatile std::int64_t x = static_cast<std::int64_t>(s[0]);
      return in_mode([&] { return bits_of(static_cast<float>(x)); });
    });
    compare(words + ".f32.u32", 'r', "r", {"i32"}, [&](const U64* s) {
      volatile std::int64_t x = static_cast<std::int64_t>(s[0]);
      return in_mode([&] { return bits_of(static_cast<float>(x)); });
    });
    compare(words + ".f64.u64", 'd', "d", {"i64"}, [&](const U64* s) {
      volatile long double x = static_cast<long double>(s[0]);  // 64 bits of significand
      return in_mode([&] { return bits_of(static_cast<double>(x)); });
    });
    compare(words + ".f32.f64", 'r', "d", {"f64"}, [&](const U64* s) {
      volatile double x = double_of(s[0]);
      if (std::isnan(x)) return nan_of_f64(s[0], 32, 23);
      return in_mode([&] { return bits_of(static_cast<float>(x)); });
    });
    const auto to_integer = [&](long double x, long double least, long double most, U64 nan) {
      if (std::isnan(x)) return nan;
      const long double whole = integral(x, mode.host);
      if (whole <= least) return static_cast<U64>(static_cast<__int128>(least));
      if (whole >= most) return static_cast<U64>(static_cast<__int128>(most));
      return static_cast<U64>(static_cast<__int128>(whole));
    };
    const std::string to = words + "i.";
    compare(to + "s32.f32", 'r', "r", {"f32"},
            [&](const U64* s) { return to_integer(float_of(s[0]), -0x1p31L, 0x1p31L - 1, 0); });
    compare(to + "u8.f32", 'r', "r", {"f32"},
            [&](const U64* s) { return to_integer(float_of(s[0]), 0, 255, 0); });
    compare(to + "s16.f64", 'h', "d", {"f64"},
            [&](const U64* s) { return to_integer(double_of(s[0]), -32768, 32767, 0x8000); });
    compare(to + "u64.f64", 'd', "d", {"f64"}, [&](const U64* s) {
      return to_integer(double_of(s[0]), 0, 0x1p64L - 1, U64{1} << 63);
    });
    compare(to + "s64.f32", 'd', "r", {"f32"}, [&](const U64* s) {
      return to_integer(float_of(s[0]), -0x1p63L, 0x1p63L - 1, U64{1} << 63);
    });
    compare(to + "f32.f32", 'r', "r", {"f32"}, [&](const U64* s) {
      return bits_of(static_cast<float>(integral(float_of(s[0]), mode.host)));
    });
  }
}

// Sums and products of 16-bit formats, exact in 64 bits or far from a middle.
TEST(FloatReference, HalvesAreRoundedOnce) {
  const struct {
    const char* name;
    const Format& format;
  } kFormats[] = {{"f16", kF16}, {"bf16", kBF16}};
  for (const auto& of : kFormats) {
    const std::string name = of.name;
    const Format& f = of.format;
    const auto result = [&](long double x) {
      return std::isnan(x) ? U64{0x7fff} : f.rounded(x, FE_TONEAREST);
    };
    compare("add.rn." + name, 'h', "hh", {name, name},
            [&](const U64* s) { return result(f.number(s[0]) + f.number(s[1])); });
    compare("sub.rn." + name, 'h', "hh", {name, name},
            [&](const U64* s) { return result(f.number(s[0]) - f.number(s[1])); });
    compare("mul.rn." + name, 'h', "hh", {name, name},
            [&](const U64* s) { return result(f.number(s[0]) * f.number(s[1])); });
    compare("fma.rn." + name, 'h', "hhh", {name, name, name}, [&](const U64* s) {
      // To odd, in 64 bits: the sum cut, and its last bit set where it was not exact.
      const long double product = f.number(s[0]) * f.number(s[1]), c = f.number(s[2]);
      long double sum = rounded(FE_TOWARDZERO, [&] {
        volatile long double x = product;
        return x + c;
      });
      const long double up = rounded(FE_UPWARD, [&] {
        volatile long double x = product;
        return x + c;
      });
      const long double down = rounded(FE_DOWNWARD, [&] {
        volatile long double x = product;
        return x + c;
      });
      if (up != down && std::isfinite(sum)) {
        std::uint64_t significand;
        std::memcpy(&significand, &sum, 8);
        significand |= 1;
        std::memcpy(&sum, &significand, 8);
      }
      if (sum == 0) sum = product + c;
      return result(sum);
    });
  }
}

TEST(FloatReference, ExtremesAndSelections) {
  const auto extreme = [](bool is_max, float a, float b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return (std::signbit(a) != is_max) ? a : b;
    return (a < b) != is_max ? a : b;
  };
  for (const bool is_max : {false, true}) {
    const std::string op = is_max ? "max" : "min";
    compare(op + ".f32", 'r', "rr", {"f32", "f32"},
            [&](const U64* s) { return bits_of(extreme(is_max, float_of(s[0]), float_of(s[1]))); });
    compare(op + ".NaN.f32", 'r', "rr", {"f32", "f32"}, [&](const U64* s) {
      const float a = float_of(s[0]), b = float_of(s[1]);
      return a != a || b != b ? 0x7fffffff : bits_of(extreme(is_max, a, b));
    });
    compare(op + ".f16", 'h', "hh", {"f16", "f16"}, [&](const U64* s) {
      const long double a = kF16.number(s[0]), b = kF16.number(s[1]);
      const float r = extreme(is_max, static_cast<float>(a), static_cast<float>(b));
      return r != r ? 0x7fff : kF16.rounded(r, FE_TONEAREST);
    });
  }
  compare("add.sat.f32", 'r', "rr", {"f32", "f32"}, [](const U64* s) {
    const float x = float_of(s[0]) + float_of(s[1]);
    return x > 0 ? bits_of(std::min(x, 1.0f)) : 0;
  });
  compare("slct.b32.f32", 'r', "rrr", {"i32", "i32", "f32"},
          [](const U64* s) { return float_of(s[2]) >= 0 ? s[0] : s[1]; });
  compare("copysign.f64", 'd', "dd", {"f64", "f64"},
          [](const U64* s) { return bits_of(std::copysign(double_of(s[1]), double_of(s[0]))); });
}

}  // namespace
}  // namespace opcodes
