// SPDX-License-Identifier: MIT
#include "ptx/module.h"

namespace ptx {

namespace {

// The word as a number, for a switch; no word of a type is longer than 8 characters.
constexpr std::uint64_t packed(std::string_view word) {
  if (word.size() > 8) return 0;
  std::uint64_t value = 0;
  for (const char c : word) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

std::size_t size_of(Type type) {
  switch (type) {
    case Type::kNone:
      return 0;
    case Type::kPred:
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
    case Type::kE4M3:
    case Type::kE5M2:
      return 1;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBF16:
    case Type::kE4M3x2:
    case Type::kE5M2x2:
      return 2;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF16x2:
    case Type::kBF16x2:
    case Type::kTF32:
    case Type::kF32:
    case Type::kU16x2:
    case Type::kS16x2:
      return 4;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
    case Type::kTexture:
    case Type::kSurface:
    case Type::kSampler:
      return 8;
    case Type::kB128:
      return 16;
  }
  return 0;
}

Type type_named(std::string_view word) {
  switch (packed(word)) {
    case packed("pred"):
      return Type::kPred;
    case packed("b8"):
      return Type::kB8;
    case packed("b16"):
      return Type::kB16;
    case packed("b32"):
      return Type::kB32;
    case packed("b64"):
      return Type::kB64;
    case packed("b128"):
      return Type::kB128;
    case packed("u8"):
      return Type::kU8;
    case packed("u16"):
      return Type::kU16;
    case packed("u32"):
      return Type::kU32;
    case packed("u64"):
      return Type::kU64;
    case packed("s8"):
      return Type::kS8;
    case packed("s16"):
      return Type::kS16;
    case packed("s32"):
      return Type::kS32;
    case packed("s64"):
      return Type::kS64;
    case packed("f16"):
      return Type::kF16;
    case packed("f16x2"):
      return Type::kF16x2;
    case packed("bf16"):
      return Type::kBF16;
    case packed("bf16x2"):
      return Type::kBF16x2;
    case packed("tf32"):
      return Type::kTF32;
    case packed("f32"):
      return Type::kF32;
    case packed("f64"):
      return Type::kF64;
    case packed("e4m3"):
      return Type::kE4M3;
    case packed("e5m2"):
      return Type::kE5M2;
    case packed("e4m3x2"):
      return Type::kE4M3x2;
    case packed("e5m2x2"):
      return Type::kE5M2x2;
    case packed("u16x2"):
      return Type::kU16x2;
    case packed("s16x2"):
      return Type::kS16x2;
    case packed("texref"):
      return Type::kTexture;
    case packed("surfref"):
      return Type::kSurface;
    default:
      // "samplerref" is the one name that is longer.
      return word == "samplerref" ? Type::kSampler : Type::kNone;
  }
}

Error::Error(std::uint32_t line, const std::string& what)
    : std::runtime_error("PTX line " + std::to_string(line) + ": " + what), line_(line) {}

}  // namespace ptx
