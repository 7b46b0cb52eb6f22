// SPDX-License-Identifier: MIT
// The operands of the cases of spellings.py: the same on a GPU and in opcodes_test.cpp. The first
// 1024 tuples pair the edges of a domain with each other; the rest is random, with a fixed seed.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace opcodes {

inline constexpr int kNumTuples = 2048;
inline constexpr int kNumEdges = 32;

inline std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

inline constexpr std::uint32_t kIntegers[kNumEdges] = {
    0,          1,          2,          3,          0xffffffff, 0xfffffffe, 7,          8,
    15,         16,         31,         32,         33,         0x7f,       0x80,       0xff,
    0x100,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,   0x7fffffff,
    0x80000000, 0x80000001, 0x00ff00ff, 0xaaaaaaaa, 0x55555555, 0x12345678, 0xdeadbeef, 0xff7f8001};
inline constexpr std::uint64_t kLongs[kNumEdges] = {0,
                                                    1,
                                                    2,
                                                    3,
                                                    0xffffffffffffffff,
                                                    0xfffffffffffffffe,
                                                    31,
                                                    32,
                                                    63,
                                                    64,
                                                    0x7fffffff,
                                                    0x80000000,
                                                    0xffffffff,
                                                    0x100000000,
                                                    0xffffffff80000000,
                                                    0xffffffff7fffffff,
                                                    0x1fffffffffffff,
                                                    0x20000000000001,
                                                    0x20000000000003,
                                                    0xffdfffffffffffff,
                                                    0x7fffffffffffffff,
                                                    0x8000000000000000,
                                                    0x8000000000000001,
                                                    0x7ffffffffffffc00,
                                                    0x7ffffffffffffdff,
                                                    0xfffffffffffff400,
                                                    0xfffffffffffffbff,
                                                    0xaaaaaaaaaaaaaaaa,
                                                    0x5555555555555555,
                                                    0x123456789abcdef0,
                                                    0xfedcba9876543210,
                                                    0x00ff00ff00ff00ff};
inline constexpr std::uint32_t kFloats[kNumEdges] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff,
    0x7f800001, 0xffc12345, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0600000, 0x3f7fffff, 0x3f800001,
    0x4b000001, 0x4f000000, 0xcf000001, 0x4f7fffff, 0x477fefff, 0x477ff000, 0x7e800001, 0x387fe000};
inline constexpr std::uint64_t kDoubles[kNumEdges] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff,
    0x0010000000000000, 0x8010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7fffffffffffffff,
    0x7ff0000000000001, 0xfff8000000012345, 0x3fe0000000000000, 0x4004000000000000,
    0xc00c000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x4330000000000001,
    0x41dfffffffc00000, 0xc1e0000000100000, 0x43e0000000000000, 0x43f0000000000000,
    0x47efffffefffffff, 0x47effffff0000000, 0x3690000000000000, 0x40effdffffffffff};
inline constexpr std::uint16_t kHalves[kNumEdges] = {
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x7bff,
    0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x7c01, 0xfe12, 0x3800, 0x3e00, 0x4100, 0xc300,
    0x3bff, 0x3c01, 0x6401, 0x77ff, 0x7800, 0xf800, 0x0002, 0x1400, 0x4248, 0xb555};
inline constexpr std::uint16_t kBrains[kNumEdges] = {
    0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x7f7f,
    0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7fff, 0x7f81, 0xffc5, 0x3f00, 0x3fc0, 0x4020, 0xc060,
    0x3f7f, 0x3f81, 0x4b01, 0x4f00, 0xcf00, 0x7e80, 0x0002, 0x1a80, 0x4049, 0xbeab};

inline std::uint32_t float_bits(double value) {
  const float x = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
inline std::uint64_t double_bits(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

// A number of few bits, so that sums of products are exact: k / 4, |k| <= 8.
inline double small_number(std::uint64_t random) {
  return (static_cast<double>(random % 17) - 8.0) / 4.0;
}
// Between 1/16 and 4, of either sign, with all bits of the significand.
inline std::uint32_t near_float(std::uint64_t random) {
  const std::uint32_t exponent = 123 + static_cast<std::uint32_t>(random >> 40) % 6;
  return static_cast<std::uint32_t>(random & 0x807fffff) | exponent << 23;
}
inline std::uint16_t half_of_small(double value) {  // exact
  if (value == 0) return 0;
  const std::uint32_t bits = float_bits(value);
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) |
                                    (((bits & 0x7fffffff) >> 13) - (112u << 10)));
}
inline std::uint8_t e5m2_of_small(std::uint64_t random) {
  constexpr std::uint8_t kSmall[8] = {0x00, 0x34, 0x38, 0x3c, 0x40, 0xb4, 0xbc, 0xc0};
  return kSmall[random % 8];
}
inline std::uint8_t e4m3_of_small(std::uint64_t random) {
  constexpr std::uint8_t kSmall[8] = {0x00, 0x28, 0x30, 0x38, 0x40, 0xa8, 0xb8, 0xc0};
  return kSmall[random % 8];
}

// Numbers for products of matrices.
inline std::uint64_t matrix_operand(std::string_view domain, std::uint64_t random) {
  const bool is_small = domain.ends_with("_small");
  const std::uint64_t second = mixed(random);
  if (domain.starts_with("f16x2")) {
    if (is_small) {
      return half_of_small(small_number(random)) |
             static_cast<std::uint32_t>(half_of_small(small_number(second))) << 16;
    }
    const auto near = [](std::uint64_t x) {
      return static_cast<std::uint32_t>((x & 0x83ff) | (11 + (x >> 40) % 6) << 10);
    };
    return near(random) | near(second) << 16;
  }
  if (domain.starts_with("bf16x2")) {
    if (is_small) {
      return float_bits(small_number(random)) >> 16 |
             (float_bits(small_number(second)) & 0xffff0000);
    }
    return near_float(random) >> 16 | (near_float(second) & 0xffff0000);
  }
  if (domain.starts_with("f32")) {
    return is_small ? float_bits(small_number(random)) : near_float(random);
  }
  if (domain.starts_with("f64")) {
    if (is_small) return double_bits(small_number(random));
    return (random & 0x800fffffffffffff) | (0x3fb + (second >> 40) % 6) << 52;
  }
  std::uint64_t word = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t part = mixed(random + static_cast<std::uint64_t>(k));
    std::uint64_t byte = 0;
    if (domain.starts_with("e4m3")) {
      byte = is_small ? e4m3_of_small(part) : (part & 0x87) | (4 + (part >> 8) % 6) << 3;
    } else {
      byte = is_small ? e5m2_of_small(part) : (part & 0x83) | (12 + (part >> 8) % 6) << 2;
    }
    word |= byte << 8 * k;
  }
  return word;
}

inline std::uint64_t random_operand(std::string_view domain, std::uint64_t random, int index) {
  const std::uint64_t second = mixed(random);
  const bool is_wild = index % 4 == 0;
  if (domain == "f32" || domain == "angle") {
    if (domain == "angle" && !is_wild) return float_bits((second % 2000001) * 1e-5 - 10.0);
    if (is_wild) return static_cast<std::uint32_t>(random);
    // Near 1; near a middle between two numbers of a smaller format; an integer and a half.
    if (index % 4 == 1) return near_float(random);
    if (index % 4 == 2) return (near_float(random) & 0xffffe000) | 0x1000;
    return float_bits((static_cast<double>(second % 4096) - 2048.0) / 2);
  }
  if (domain == "f64") {
    if (is_wild) return random;
    if (index % 4 == 1) return (random & 0x800fffffffffffff) | (0x3fb + (second >> 40) % 8) << 52;
    if (index % 4 == 2) {
      return (random & 0x800fffffe0000000) | 0x10000000 | (0x3fb + (second >> 40) % 8) << 52;
    }
    return double_bits((static_cast<double>(second % 4096) - 2048.0) / 2);
  }
  if (domain == "f16")
    return is_wild ? random & 0xffff : (random & 0x83ff) | (11 + (second >> 40) % 8) << 10;
  if (domain == "bf16") return is_wild ? random & 0xffff : near_float(random) >> 16;
  if (domain == "f16x2" || domain == "bf16x2") {
    const std::string_view half = domain == "f16x2" ? "f16" : "bf16";
    return random_operand(half, random, index) | random_operand(half, second, index / 4) << 16;
  }
  if (domain == "i64") return is_wild ? random : random >> (second % 64);
  if (domain == "i32")
    return static_cast<std::uint32_t>(is_wild ? random : (random & 0xffffffff) >> (second % 32));
  return random;
}

// The operand of source `source` in tuple `index`, in the low bits of a word.
inline std::uint64_t operand(std::string_view domain, int index, int source) {
  const std::uint64_t random = mixed(mixed(static_cast<std::uint64_t>(index)) +
                                     static_cast<std::uint64_t>(source) * 0x632be59bd9b4e019);
  if (domain.ends_with("_small") || domain.ends_with("_near")) {
    return matrix_operand(domain, random);
  }
  if (domain == "pred") return random & 1;
  if (domain == "lane") return random % 32;
  if (domain == "count") {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(random % 13) - 6);
  }
  const int edge =
      source == 0
          ? index % kNumEdges
          : (source == 1
                 ? index / kNumEdges % kNumEdges
                 : static_cast<int>((index * 7 + index / 32 * (2 * source - 1)) % kNumEdges));
  if (domain == "shift") {
    if (index < 1024) return kIntegers[edge];
    return index % 4 == 0 ? static_cast<std::uint32_t>(random) : random % 72;
  }
  if (domain == "e4m3x2" || domain == "e5m2x2")
    return static_cast<std::uint16_t>(index * 32 + index / 8 % 32);
  if (index >= 1024) return random_operand(domain, random, index);
  if (domain == "i16" || domain == "i32") return kIntegers[edge];
  if (domain == "i64") return kLongs[edge];
  if (domain == "f32" || domain == "angle") return kFloats[edge];
  if (domain == "f64") return kDoubles[edge];
  if (domain == "f16") return kHalves[edge];
  if (domain == "bf16") return kBrains[edge];
  if (domain == "f16x2") return kHalves[edge] | std::uint32_t{kHalves[(edge * 5 + 3) % 32]} << 16;
  if (domain == "bf16x2") return kBrains[edge] | std::uint32_t{kBrains[(edge * 5 + 3) % 32]} << 16;
  return random;
}

}  // namespace opcodes
