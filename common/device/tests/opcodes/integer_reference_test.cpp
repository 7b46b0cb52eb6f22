// SPDX-License-Identifier: MIT
// Integers and bits against the words of the PTX manual, written out bit by bit or in 128 bits.
#include "tests/opcodes/reference.h"

namespace opcodes {
namespace {

using S128 = __int128;
using U64 = std::uint64_t;

struct Kind {
  const char* name;
  int bits;
  bool is_signed;
  char letter() const { return bits == 16 ? 'h' : (bits == 32 ? 'r' : 'd'); }
  std::string domain() const { return "i" + std::to_string(bits); }
  S128 value(U64 word) const {
    const S128 low = static_cast<S128>(bits == 64 ? word : word & ((U64{1} << bits) - 1));
    const S128 half = S128{1} << (bits - 1);
    return is_signed && low >= half ? low - 2 * half : low;
  }
  S128 most() const { return (S128{1} << (is_signed ? bits - 1 : bits)) - 1; }
  S128 least() const { return is_signed ? -(S128{1} << (bits - 1)) : 0; }
  S128 clamped(S128 x) const { return x > most() ? most() : (x < least() ? least() : x); }
};
constexpr Kind kKinds[] = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                           {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};

template <class Function>
void compare_two(const std::string& words, const Kind& kind, Function function) {
  compare(words + "." + kind.name, kind.letter(), std::string(2, kind.letter()),
          {kind.domain(), kind.domain()}, [&](const U64* s) {
            return static_cast<U64>(function(kind.value(s[0]), kind.value(s[1])));
          });
}
template <class Function>
void compare_three(const std::string& words, const Kind& kind, Function function) {
  compare(words + "." + kind.name, kind.letter(), std::string(3, kind.letter()),
          {kind.domain(), kind.domain(), kind.domain()}, [&](const U64* s) {
            return static_cast<U64>(function(kind.value(s[0]), kind.value(s[1]), kind.value(s[2])));
          });
}

TEST(IntegerReference, Arithmetic) {
  for (const Kind& kind : kKinds) {
    compare_two("add", kind, [](S128 a, S128 b) { return a + b; });
    compare_two("sub", kind, [](S128 a, S128 b) { return a - b; });
    compare_two("min", kind, [](S128 a, S128 b) { return a < b ? a : b; });
    compare_two("max", kind, [](S128 a, S128 b) { return a > b ? a : b; });
    compare_two("div", kind, [](S128 a, S128 b) { return b == 0 ? S128{-1} : a / b; });
    compare_two("rem", kind, [](S128 a, S128 b) { return b == 0 ? S128{-1} : a % b; });
    const auto product = [](S128 a, S128 b) {  // of u64 it needs all 128 bits
      return static_cast<S128>(static_cast<unsigned __int128>(a) *
                               static_cast<unsigned __int128>(b));
    };
    const auto high = [&](S128 a, S128 b) {
      const S128 whole = product(a, b);
      return kind.is_signed ? whole >> kind.bits
                            : static_cast<S128>(static_cast<unsigned __int128>(whole) >> kind.bits);
    };
    compare_two("mul.lo", kind, product);
    compare_two("mul.hi", kind, high);
    compare_three("mad.lo", kind, [&](S128 a, S128 b, S128 c) { return product(a, b) + c; });
    compare_three("mad.hi", kind, [&](S128 a, S128 b, S128 c) { return high(a, b) + c; });
    compare_three("sad", kind, [](S128 a, S128 b, S128 c) { return c + (a > b ? a - b : b - a); });
  }
  const Kind& s32 = kKinds[3];
  compare_two("add.sat", s32, [&](S128 a, S128 b) { return s32.clamped(a + b); });
  compare_two("sub.sat", s32, [&](S128 a, S128 b) { return s32.clamped(a - b); });
  compare_two("min.relu", s32, [](S128 a, S128 b) { return std::max<S128>(std::min(a, b), 0); });
  compare_three("mad.hi.sat", s32,
                [&](S128 a, S128 b, S128 c) { return s32.clamped((a * b >> 32) + c); });
}

TEST(IntegerReference, WidePartsAndDots) {
  for (const Kind& kind : {kKinds[0], kKinds[1], kKinds[2], kKinds[3]}) {
    const char wide = kind.bits == 16 ? 'r' : 'd';
    compare("mul.wide." + std::string(kind.name), wide, std::string(2, kind.letter()),
            {kind.domain(), kind.domain()},
            [&](const U64* s) { return static_cast<U64>(kind.value(s[0]) * kind.value(s[1])); });
  }
  for (const bool is_signed : {false, true}) {
    const auto low = [&](U64 word) {
      const S128 bits = static_cast<S128>(word & 0xffffff);
      return is_signed && bits >= 0x800000 ? bits - 0x1000000 : bits;
    };
    const std::string type = is_signed ? "s32" : "u32";
    compare("mul24.lo." + type, 'r', "rr", {"i32", "i32"},
            [&](const U64* s) { return static_cast<U64>(low(s[0]) * low(s[1])); });
    compare("mad24.hi." + type, 'r', "rrr", {"i32", "i32", "i32"},
            [&](const U64* s) { return static_cast<U64>(low(s[0]) * low(s[1]) >> 16) + s[2]; });
    compare("dp4a." + type + ".s32", 'r', "rrr", {"i32", "i32", "i32"}, [&](const U64* s) {
      std::int64_t sum = static_cast<std::int64_t>(s[2]);
      for (int k = 0; k < 4; ++k) {
        const int a = is_signed ? static_cast<std::int8_t>(s[0] >> 8 * k)
                                : static_cast<std::uint8_t>(s[0] >> 8 * k);
        sum += a * static_cast<std::int8_t>(s[1] >> 8 * k);
      }
      return static_cast<U64>(sum);
    });
    compare("dp2a.hi." + type + ".u32", 'r', "rrr", {"i32", "i32", "i32"}, [&](const U64* s) {
      std::int64_t sum = static_cast<std::int64_t>(s[2]);
      for (int k = 0; k < 2; ++k) {
        const int a = is_signed ? static_cast<std::int16_t>(s[0] >> 16 * k)
                                : static_cast<std::uint16_t>(s[0] >> 16 * k);
        sum += std::int64_t{a} * static_cast<std::uint8_t>(s[1] >> (16 + 8 * k));
      }
      return static_cast<U64>(sum);
    });
  }
}

TEST(IntegerReference, Fields) {
  for (const Kind& kind : {kKinds[2], kKinds[3], kKinds[4], kKinds[5]}) {
    const U64 last = static_cast<U64>(kind.bits) - 1;
    const std::string type = kind.name, bits = kind.bits == 32 ? "b32" : "b64";
    const char letter = kind.letter();
    const auto number = [&](U64 word) { return kind.bits == 32 ? word & 0xff : word; };
    compare("bfe." + type, letter, std::string(1, letter) + "rr", {kind.domain(), "shift", "shift"},
            [&](const U64* s) {
              const U64 position = number(s[1]), length = number(s[2]);
              U64 sign = 0, d = 0;
              if (kind.is_signed && length != 0)
                sign = s[0] >> std::min(position + length - 1, last) & 1;
              for (U64 i = 0; i <= last; ++i) {
                const U64 bit =
                    i < length && position + i <= last ? s[0] >> (position + i) & 1 : sign;
                d |= bit << i;
              }
              return d;
            });
    compare("bfi." + bits, letter, std::string(2, letter) + "rr",
            {kind.domain(), kind.domain(), "shift", "shift"}, [&](const U64* s) {
              const U64 position = number(s[2]), length = number(s[3]);
              U64 d = s[1];
              for (U64 i = 0; i < length && position + i <= last; ++i) {
                d = (d & ~(U64{1} << (position + i))) | (s[0] >> i & 1) << (position + i);
              }
              return d;
            });
    for (const bool as_shift : {false, true}) {
      compare(std::string("bfind.") + (as_shift ? "shiftamt." : "") + type, 'r',
              std::string(1, letter), {kind.domain()}, [&](const U64* s) {
                const bool inverts = kind.is_signed && (s[0] >> last & 1) != 0;
                for (U64 i = last + 1; i-- > 0;) {
                  if (((s[0] >> i & 1) != 0) != inverts) return as_shift ? last - i : i;
                }
                return U64{0xffffffff};
              });
    }
    compare("brev." + bits, letter, std::string(1, letter), {kind.domain()}, [&](const U64* s) {
      U64 d = 0;
      for (U64 i = 0; i <= last; ++i) d |= (s[0] >> i & 1) << (last - i);
      return d;
    });
    compare("popc." + bits, 'r', std::string(1, letter), {kind.domain()},
            [&](const U64* s) { return static_cast<U64>(__builtin_popcountll(s[0])); });
    compare("clz." + bits, 'r', std::string(1, letter), {kind.domain()}, [&](const U64* s) {
      U64 count = 0;
      while (count <= last && (s[0] >> (last - count) & 1) == 0) ++count;
      return count;
    });
    compare("shr." + type, letter, std::string(1, letter) + "r", {kind.domain(), "shift"},
            [&](const U64* s) {
              return static_cast<U64>(kind.value(s[0]) >> std::min<U64>(s[1], 100));
            });
    compare("shl." + bits, letter, std::string(1, letter) + "r", {kind.domain(), "shift"},
            [&](const U64* s) { return s[1] > last ? 0 : s[0] << s[1]; });
  }
}

TEST(IntegerReference, MasksFunnelsAndBytes) {
  for (const bool clamps : {false, true}) {
    const std::string mode = clamps ? "clamp" : "wrap";
    compare("bmsk." + mode + ".b32", 'r', "rr", {"shift", "shift"}, [&](const U64* s) {
      U64 d = 0;
      const U64 from = clamps ? s[0] : s[0] & 31, width = clamps ? s[1] : s[1] & 31;
      for (U64 i = 0; i < 32; ++i) d |= static_cast<U64>(i >= from && i - from < width) << i;
      return d;
    });
    for (const bool is_signed : {false, true}) {
      compare("szext." + mode + (is_signed ? ".s32" : ".u32"), 'r', "rr", {"i32", "shift"},
              [&](const U64* s) {
                const U64 width = clamps ? std::min<U64>(s[1], 32) : s[1] & 31;
                const U64 sign = is_signed && width != 0 ? s[0] >> (width - 1) & 1 : 0;
                U64 d = 0;
                for (U64 i = 0; i < 32; ++i) d |= (i < width ? s[0] >> i & 1 : sign) << i;
                return d;
              });
    }
    compare("shf.l." + mode + ".b32", 'r', "rrr", {"i32", "i32", "shift"}, [&](const U64* s) {
      const U64 n = clamps ? std::min<U64>(s[2], 32) : s[2] & 31;
      return s[1] << n | s[0] >> (32 - n);
    });
    compare("shf.r." + mode + ".b32", 'r', "rrr", {"i32", "i32", "shift"}, [&](const U64* s) {
      const U64 n = clamps ? std::min<U64>(s[2], 32) : s[2] & 31;
      return s[1] << (32 - n) | s[0] >> n;
    });
  }
  compare("fns.b32", 'r', "rrr", {"i32", "lane", "count"}, [](const U64* s) {
    const int offset = static_cast<std::int32_t>(s[2]);
    if (offset == 0) return (s[0] >> s[1] & 1) != 0 ? s[1] : U64{0xffffffff};
    int position = static_cast<int>(s[1]), count = std::abs(offset) - 1;
    for (; position >= 0 && position<32; position += offset> 0 ? 1 : -1) {
      if ((s[0] >> position & 1) == 0) continue;
      if (count-- == 0) return static_cast<U64>(position);
    }
    return U64{0xffffffff};
  });
  compare("prmt.b32", 'r', "rrr", {"i32", "i32", "i32"}, [](const U64* s) {
    const U64 bytes = s[1] << 32 | s[0];
    U64 d = 0;
    for (int k = 0; k < 4; ++k) {
      const U64 selector = s[2] >> 4 * k & 15, byte = bytes >> 8 * (selector & 7) & 0xff;
      d |= ((selector & 8) != 0 ? (byte >> 7) * 0xff : byte) << 8 * k;
    }
    return d;
  });
  // The tables of the manual, for selector 0 to 3, from the highest byte down.
  const struct {
    const char* mode;
    unsigned indices[4];
  } kModes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const auto& mode : kModes) {
    compare(std::string("prmt.b32.") + mode.mode, 'r', "rrr", {"i32", "i32", "i32"},
            [&](const U64* s) {
              const U64 bytes = s[1] << 32 | s[0];
              U64 d = 0;
              for (int k = 0; k < 4; ++k) {
                d |= (bytes >> 8 * (mode.indices[s[2] & 3] >> 4 * k & 7) & 0xff) << 8 * k;
              }
              return d;
            });
  }
}

TEST(IntegerReference, Conversions) {
  const Kind kAll[] = {{"u8", 8, false}, {"s8", 8, true}, kKinds[0], kKinds[1],
                       kKinds[2],        kKinds[3],       kKinds[4], kKinds[5]};
  const auto letter = [](const Kind& kind) { return kind.bits == 64 ? 'd' : 'r'; };
  for (const Kind& from : kAll) {
    for (const Kind& to : kAll) {
      for (const bool sat : {false, true}) {
        const std::string words =
            std::string("cvt.") + (sat ? "sat." : "") + to.name + "." + from.name;
        compare(
            words, letter(to), std::string(1, letter(from)), {from.bits == 64 ? "i64" : "i32"},
            [&](const U64* s) {
              const S128 value = from.value(s[0]);
              return static_cast<U64>(sat ? to.clamped(value) : to.value(static_cast<U64>(value)));
            });
      }
    }
  }
}

TEST(IntegerReference, CarriesReachTheThirdWord) {
  OneWarp add("add.cc.u32 %r0, %r50, %r51; addc.cc.u32 %r1, %r52, %r53; addc.u32 %r2, %r54, %r55");
  OneWarp sub("sub.cc.u32 %r0, %r50, %r51; subc.cc.u32 %r1, %r52, %r53; subc.u32 %r2, %r54, %r55");
  for (int lane = 0; lane < 32; ++lane) {
    for (int k = 0; k < 6; ++k) {
      const U64 value = operand("i32", lane * 37, k);
      add.set("%r" + std::to_string(50 + k), lane, value);
      sub.set("%r" + std::to_string(50 + k), lane, value);
    }
  }
  add.run();
  sub.run();
  for (int lane = 0; lane < 32; ++lane) {
    S128 a = 0, b = 0;
    for (int k = 2; k >= 0; --k) {
      a = a << 32 | operand("i32", lane * 37, 2 * k);
      b = b << 32 | operand("i32", lane * 37, 2 * k + 1);
    }
    for (int k = 0; k < 3; ++k) {
      const std::string name = "%r" + std::to_string(k);
      EXPECT_EQ(add.get(name, lane), static_cast<std::uint32_t>((a + b) >> 32 * k));
      EXPECT_EQ(sub.get(name, lane), static_cast<std::uint32_t>((a - b) >> 32 * k));
    }
  }
}

}  // namespace
}  // namespace opcodes
