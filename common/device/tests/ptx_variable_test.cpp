// SPDX-License-Identifier: MIT
// Variables of the module and their initial values.
#include <gtest/gtest.h>

#include <cstring>

#include "ptx_test.h"

namespace ptx {
namespace {

template <class T>
std::vector<T> values(const Variable& variable) {
  std::vector<T> result(variable.initial.size() / sizeof(T));
  std::memcpy(result.data(), variable.initial.data(), result.size() * sizeof(T));
  return result;
}

TEST(PtxParser, ReadsVariableWithLinkageAndAlignment) {
  const Module module = parse(
      ".visible .global .align 16 .b8 a[24];\n.extern .shared .align 4 .b8 b[];\n"
      ".const .f64 c;\n.weak .global .attribute(.managed) .u32 d, e[2];\n"
      ".common .global .attribute(.unified(1, 2)) .v4 .f32 f[2];");
  EXPECT_EQ(module.variables.size(), 6u);
  const Variable& a = variable(module, "a");
  EXPECT_EQ(a.space, Space::kGlobal);
  EXPECT_EQ(a.size_bytes, 24u);
  EXPECT_EQ(a.align_bytes, 16u);
  EXPECT_TRUE(a.is_visible);
  EXPECT_FALSE(a.is_extern);
  EXPECT_TRUE(a.initial.empty());
  const Variable& b = variable(module, "b");
  EXPECT_EQ(b.space, Space::kShared);
  EXPECT_EQ(b.size_bytes, 0u);
  EXPECT_TRUE(b.is_extern);
  EXPECT_EQ(variable(module, "c").align_bytes, 8u);
  EXPECT_EQ(variable(module, "c").space, Space::kConst);
  EXPECT_FALSE(variable(module, "c").is_visible);
  EXPECT_TRUE(variable(module, "d").is_managed);
  EXPECT_TRUE(variable(module, "e").is_managed);
  EXPECT_EQ(variable(module, "e").size_bytes, 8u);
  EXPECT_FALSE(variable(module, "f").is_managed);
  EXPECT_EQ(variable(module, "f").size_bytes, 32u);
  EXPECT_EQ(variable(module, "f").align_bytes, 16u);
}

TEST(PtxParser, ReadsArraysWithSeveralDimensions) {
  const Module module = parse(".global .b32 a[2][3][4], b[(1+1)*2];");
  EXPECT_EQ(variable(module, "a").size_bytes, 96u);
  EXPECT_EQ(variable(module, "b").size_bytes, 16u);
}

TEST(PtxParser, ReadsInitialValuesWithBytes) {
  const Module module = parse(
      ".global .b8 a[8] = {1, 255, -1, 0x10, 017};\n.global .s32 b = -2;\n"
      ".const .u64 c[2] = {0xFFFFFFFFFFFFFFFF, 1U};");
  EXPECT_EQ(variable(module, "a").size_bytes, 8u);
  EXPECT_EQ(values<std::uint8_t>(variable(module, "a")),
            (std::vector<std::uint8_t>{1, 255, 255, 16, 15}));
  EXPECT_EQ(values<std::int32_t>(variable(module, "b")), (std::vector<std::int32_t>{-2}));
  EXPECT_EQ(values<std::uint64_t>(variable(module, "c")),
            (std::vector<std::uint64_t>{UINT64_MAX, 1}));
}

TEST(PtxParser, ReadsInitialValuesWithFloatingPoint) {
  const Module module = parse(
      ".global .f32 a[4] = {0f3F800000, 1.5, -2.0, 0dC008000000000000};\n"
      ".global .f64 b[2] = {0d3FF0000000000000, 0f40000000};\n"
      ".global .b32 c = 0f3F800000;\n.global .f32 d = 1e300;");
  EXPECT_EQ(values<float>(variable(module, "a")), (std::vector<float>{1, 1.5, -2, -3}));
  EXPECT_EQ(values<double>(variable(module, "b")), (std::vector<double>{1, 2}));
  EXPECT_EQ(values<std::uint32_t>(variable(module, "c")), (std::vector<std::uint32_t>{0x3F800000}));
  EXPECT_EQ(values<std::uint32_t>(variable(module, "d")), (std::vector<std::uint32_t>{0x7F800000}));
}

TEST(PtxParser, ReadsInitialValuesWithNestedBraces) {
  const Module module = parse(
      ".global .u8 a[3][2] = {{1}, {2, 3}};\n.global .u8 b[][2] = {{1, 2}, {3}};\n"
      ".global .v2 .u8 c[2] = {{1, 2}, {3, 4}};\n.global .u8 d[2][2] = {1, 2, 3};\n"
      ".global .u8 e[] = {1, 2, 3,};\n.global .u8 f[4] = {};");
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(values<std::uint8_t>(variable(module, "a")), (Bytes{1, 0, 2, 3}));
  EXPECT_EQ(variable(module, "a").size_bytes, 6u);
  EXPECT_EQ(values<std::uint8_t>(variable(module, "b")), (Bytes{1, 2, 3}));
  EXPECT_EQ(variable(module, "b").size_bytes, 4u);
  EXPECT_EQ(values<std::uint8_t>(variable(module, "c")), (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(values<std::uint8_t>(variable(module, "d")), (Bytes{1, 2, 3}));
  EXPECT_EQ(variable(module, "e").size_bytes, 3u);
  EXPECT_EQ(variable(module, "f").size_bytes, 4u);
}

TEST(PtxParser, ReadsInitialValuesWithAddresses) {
  const Module module = parse(
      ".global .b32 a[4];\n"
      ".global .align 8 .u64 b[5] = {1, generic(a)+8, a, f, generic(a)-4};\n"
      ".global .u64 c = a + (2*4);");
  const Variable& b = variable(module, "b");
  EXPECT_EQ(b.initial.size(), 40u);
  ASSERT_EQ(b.addresses.size(), 4u);
  EXPECT_EQ(b.addresses[0].offset, 8u);
  EXPECT_EQ(b.addresses[0].symbol, "a");
  EXPECT_EQ(b.addresses[0].addend, 8);
  EXPECT_TRUE(b.addresses[0].is_generic);
  EXPECT_EQ(b.addresses[1].offset, 16u);
  EXPECT_FALSE(b.addresses[1].is_generic);
  EXPECT_EQ(b.addresses[2].symbol, "f");
  EXPECT_EQ(b.addresses[3].addend, -4);
  ASSERT_EQ(variable(module, "c").addresses.size(), 1u);
  EXPECT_EQ(variable(module, "c").addresses[0].addend, 8);
}

TEST(PtxParser, KeepsOneVariableOfANameWithItsDefinition) {
  const Module module =
      parse(".extern .global .b32 x;\n.visible .global .b32 x = 7;\n.extern .global .b32 x;");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_EQ(values<int>(module.variables[0]), (std::vector<int>{7}));
}

TEST(PtxParser, ReadsTexturesAndSurfaces) {
  const Module module = parse(".global .texref t;\n.global .surfref s;");
  EXPECT_EQ(variable(module, "t").type, Type::kTexture);
  EXPECT_EQ(variable(module, "s").type, Type::kSurface);
}

}  // namespace
}  // namespace ptx
