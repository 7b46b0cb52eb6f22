// SPDX-License-Identifier: MIT
// Instructions, their operands, and the heads of functions.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <utility>

#include "ptx_test.h"

namespace ptx {
namespace {

using Extent = std::array<std::uint32_t, 3>;

TEST(PtxParser, ReadsInstructionWithWordsAndOperands) {
  const Module module = kernel(".reg .b32 %r<3>;\n  add.rn.f32 %r1, %r2, 7;");
  EXPECT_EQ(shown(module), "add.rn.f32 %r1 %r2 7");
  EXPECT_EQ(instruction(module).text_line, 3u);
}

TEST(PtxParser, ReadsWordsWithColonsAndDigits) {
  const Module module = kernel(
      "ld.global.L2::128B.b32 x, [y];\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [a], [b];");
  EXPECT_EQ(instruction(module).words[2], "L2::128B");
  EXPECT_EQ(instruction(module, 1).words[5], "shared::cluster");
  EXPECT_EQ(instruction(module, 1).words.back(), "mbarrier::complete_tx::bytes");
}

TEST(PtxParser, ReadsInstructionWithoutOperands) {
  EXPECT_EQ(shown(kernel("ret;")), "ret");
  EXPECT_EQ(shown(kernel("membar.gl;")), "membar.gl");
}

TEST(PtxParser, ReadsGuardWithNegation) {
  const Module module = kernel(".reg .pred %p1; @%p1 ret; @!%p1 bra.uni L; L:");
  EXPECT_EQ(shown(module), "@%p1 ret");
  EXPECT_EQ(shown(module, 1), "@!%p1 bra.uni &L");
}

TEST(PtxParser, ReadsLabelsWithIndexOfTheNextInstruction) {
  const Module module = kernel("$L__tmp0: ret; A: B: ret; end:");
  const auto& labels = module.functions[0].labels;
  ASSERT_EQ(labels.size(), 4u);
  EXPECT_EQ(labels[0].name, "$L__tmp0");
  EXPECT_EQ(labels[0].instruction, 0u);
  EXPECT_EQ(labels[1].instruction, 1u);
  EXPECT_EQ(labels[2].instruction, 1u);
  EXPECT_EQ(labels[3].instruction, 2u);
}

TEST(PtxParser, ReadsAddressesWithOffsets) {
  const auto address = [](const std::string& text) {
    return shown(kernel(".reg .b64 %rd<2>; .reg .b32 %r<2>; st.b32 " + text + ", 0;"));
  };
  EXPECT_EQ(address("[%rd1]"), "st.b32 [%rd1] 0");
  EXPECT_EQ(address("[%rd1+16]"), "st.b32 [%rd1+16] 0");
  EXPECT_EQ(address("[%r1+-4]"), "st.b32 [%r1+-4] 0");
  EXPECT_EQ(address("[%r1-4]"), "st.b32 [%r1+-4] 0");
  EXPECT_EQ(address("[symbol+4]"), "st.b32 [symbol+4] 0");
  EXPECT_EQ(address("[symbol]"), "st.b32 [symbol] 0");
  EXPECT_EQ(address("[64]"), "st.b32 [+64] 0");
  EXPECT_EQ(address("[%rd1 + (2+1)*4 + 8]"), "st.b32 [%rd1+20] 0");
}

TEST(PtxParser, ReadsSymbolWithOffset) {
  EXPECT_EQ(shown(kernel(".reg .b64 a; mov.b64 a, table+8;")), "mov.b64 a &table+8");
  EXPECT_EQ(shown(kernel(".reg .b64 a; mov.b64 a, table-(4*2);")), "mov.b64 a &table+-8");
}

TEST(PtxParser, ReadsVectorsWithSinksAndNumbers) {
  const Module module = kernel(".reg .f32 %f<3>; mov.v4 {%f1, _, 0f3F800000, -1}, {};");
  EXPECT_EQ(shown(module), "mov.v4 {%f1,_,f1065353216,-1} {}");
}

TEST(PtxParser, ReadsTextureWithCoordinates) {
  const Module module = kernel(
      ".reg .f32 %f<5>; .reg .b64 %rd1;\n"
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];\n"
      "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, sampler, %f1];");
  EXPECT_EQ(shown(module), "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4} [%rd1;{%f1,%f2}]");
  EXPECT_EQ(shown(module, 1), "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4} [%rd1;&sampler,%f1]");
}

TEST(PtxParser, ReadsTensorCopyWithCoordinates) {
  const Module module = kernel(
      ".reg .b32 %r<4>; .reg .b64 %rd1;\n"
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [%r3];");
  EXPECT_EQ(shown(module),
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1;{%r1,%r2}] [%r3]");
}

TEST(PtxParser, ReadsPairsOfDestinations) {
  const auto pair = [](const std::string& text) {
    return shown(kernel(".reg .pred %p<3>; .reg .b32 %r<2>; setp " + text + ", %r1;"));
  };
  EXPECT_EQ(pair("%p1|%p2"), "setp %p1|%p2 %r1");
  EXPECT_EQ(pair("%p1 | _"), "setp %p1 %r1");
  EXPECT_EQ(pair("_|%p2"), "setp _|%p2 %r1");
}

TEST(PtxParser, ReadsNegatedPredicate) {
  EXPECT_EQ(shown(kernel(".reg .pred p, q; and.pred p, !q, p;")), "and.pred p !q p");
}

TEST(PtxParser, ReadsSpecialRegistersWithSuffix) {
  EXPECT_EQ(shown(kernel(".reg .b32 r; mov.u32 r, %tid.x;")), "mov.u32 r %tid.x");
  EXPECT_EQ(shown(kernel(".reg .b32 r; mov.u32 r, %laneid;")), "mov.u32 r %laneid");
  EXPECT_EQ(shown(kernel(".reg .b32 r; mul.lo.s32 r, r, WARP_SZ;")), "mul.lo.s32 r r 32");
}

std::uint64_t number(const std::string& text) {
  return operand(kernel(".reg .b64 a; mov.b64 a, " + text + ";"), 1).bits;
}

TEST(PtxParser, ReadsIntegersInAllBases) {
  EXPECT_EQ(number("0"), 0u);
  EXPECT_EQ(number("42U"), 42u);
  EXPECT_EQ(number("0x1fU"), 31u);
  EXPECT_EQ(number("0XFF"), 255u);
  EXPECT_EQ(number("017"), 15u);
  EXPECT_EQ(number("0b101"), 5u);
  EXPECT_EQ(number("-1"), UINT64_MAX);
  EXPECT_EQ(number("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(number("-9223372036854775808"), std::uint64_t{1} << 63);
}

TEST(PtxParser, ReadsConstantExpressionsWithTheOrderOfC) {
  EXPECT_EQ(number("(1+2)*4"), 12u);
  EXPECT_EQ(number("1+2*4"), 9u);
  EXPECT_EQ(number("20-4-3"), 13u);
  EXPECT_EQ(number("1<<4|3"), 19u);
  EXPECT_EQ(number("~0 >> 63"), UINT64_MAX);
  EXPECT_EQ(number("(.u64)~0 >> 63"), 1u);
  EXPECT_EQ(number("-7/2"), std::uint64_t(-3));
  EXPECT_EQ(number("-1 < 1U"), 0u);  // unsigned, as in C
  EXPECT_EQ(number("3 >= 3 && 2 != 3"), 1u);
  EXPECT_EQ(number("0 ? 5 : !0 ? 6 : 7"), 6u);
  EXPECT_EQ(number("-9223372036854775807-1"), std::uint64_t{1} << 63);
  EXPECT_EQ(number("(-9223372036854775807-1)/-1"), std::uint64_t{1} << 63);
  EXPECT_EQ(number("1 << 64"), 0u);
  EXPECT_EQ(number("-7 % 3"), UINT64_MAX);
  EXPECT_EQ(number("!0"), 1u);
  EXPECT_EQ(number("!(2) + 3"), 3u);
  EXPECT_EQ(number("WARP_SZ-1"), 31u);
}

TEST(PtxParser, ReadsFloatingPointWithBits) {
  const auto kind = [](const std::string& text) {
    return operand(kernel(".reg .b64 a; mov.b64 a, " + text + ";"), 1).kind;
  };
  EXPECT_EQ(number("0f3F800000"), 0x3F800000u);
  EXPECT_EQ(kind("0f3F800000"), Operand::Kind::kFloat32);
  EXPECT_EQ(number("-0F3f800000"), 0xBF800000u);
  EXPECT_EQ(number("0d3FF0000000000000"), 0x3FF0000000000000u);
  EXPECT_EQ(kind("0D3FF0000000000000"), Operand::Kind::kFloat64);
  EXPECT_EQ(number("1.5"), std::bit_cast<std::uint64_t>(1.5));
  EXPECT_EQ(number("-25e-1"), std::bit_cast<std::uint64_t>(-2.5));
  EXPECT_EQ(number("0.5"), std::bit_cast<std::uint64_t>(0.5));
  EXPECT_EQ(number("1.0+0f40000000"), std::bit_cast<std::uint64_t>(3.0));
  EXPECT_EQ(number(".5"), std::bit_cast<std::uint64_t>(0.5));
  EXPECT_EQ(number("-.5e-1"), std::bit_cast<std::uint64_t>(-0.05));
  EXPECT_EQ(kind("1.5"), Operand::Kind::kFloat64);
}

TEST(PtxParser, ReadsCallsWithValuesAndPrototype) {
  const Module module = kernel(
      ".reg .b64 %rd1; .param .b32 ret0, arg0, arg1;\n"
      "call.uni (ret0), \n  vprintf, \n (\n arg0,\n arg1\n );\n"
      "proto : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]) "
      ".noreturn;\n"
      "call (ret0), %rd1, (arg0), proto;\n"
      "call.uni helper;\n"
      "call helper, (3);\n"
      "call (), helper, ();");
  EXPECT_EQ(shown(module), "call.uni {&ret0} &vprintf {&arg0,&arg1}");
  EXPECT_EQ(shown(module, 1), "call {&ret0} %rd1 {&arg0} &proto");
  EXPECT_EQ(shown(module, 2), "call.uni &helper");
  EXPECT_EQ(shown(module, 3), "call &helper {3}");
  EXPECT_EQ(shown(module, 4), "call {} &helper {}");
  const auto& tables = module.functions[0].tables;
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].label, "proto");
  ASSERT_EQ(tables[0].returns.size(), 1u);
  EXPECT_EQ(tables[0].returns[0].size_bytes, 4u);
  ASSERT_EQ(tables[0].parameters.size(), 2u);
  EXPECT_EQ(tables[0].parameters[1].size_bytes, 16u);
  EXPECT_EQ(tables[0].parameters[1].align_bytes, 8u);
}

TEST(PtxParser, ReadsTargetsOfBranchesAndCalls) {
  const Module module = kernel(
      ".reg .b32 %r1;\n"
      "$L_brx_0: .branchtargets A,\n B,\n A;\n"
      "brx.idx %r1, $L_brx_0;\n"
      "A: B: ret;\n"
      "functions: .calltargets f, g;");
  const auto& tables = module.functions[0].tables;
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].label, "$L_brx_0");
  EXPECT_EQ(tables[0].targets, (std::vector<std::string_view>{"A", "B", "A"}));
  EXPECT_EQ(tables[1].targets, (std::vector<std::string_view>{"f", "g"}));
  EXPECT_EQ(module.functions[0].labels.size(), 2u);
}

TEST(PtxParser, ReadsFunctionWithParametersAndReturn) {
  const Module module = parse(
      ".visible .func .attribute(.unified(1, 2)) (.param .b32 result) f(\n"
      "  .param .align 8 .b8 block[32],\n"
      "  .param .u64 .ptr .shared .align 16 pointer, .param .f32 x)\n"
      ".noreturn\n{ ret; }");
  const Function& function = module.functions.at(0);
  EXPECT_EQ(function.name, "f");
  EXPECT_FALSE(function.is_kernel);
  EXPECT_FALSE(function.is_declared_only);
  ASSERT_EQ(function.returns.size(), 1u);
  EXPECT_EQ(function.returns[0].name, "result");
  EXPECT_EQ(function.returns[0].space, Space::kParam);
  ASSERT_EQ(function.parameters.size(), 3u);
  EXPECT_EQ(function.parameters[0].size_bytes, 32u);
  EXPECT_EQ(function.parameters[0].align_bytes, 8u);
  EXPECT_EQ(function.parameters[1].align_bytes, 8u);  // 16 is of what it points to
  EXPECT_EQ(function.parameters[2].type, Type::kF32);
}

TEST(PtxParser, ReadsKernelWithDirectives) {
  const Module module = parse(
      ".entry k()\n.maxntid 256, 2\n.reqntid 64, 1, 1\n.minnctapersm 2\n.maxnreg 64\n"
      ".explicitcluster\n.reqnctapercluster 2, 1, 1\n.maxclusterrank 8\n.blocksareclusters\n"
      ".pragma \"nounroll\";\n{ ret; }");
  const Function& function = module.functions.at(0);
  EXPECT_TRUE(function.is_kernel);
  EXPECT_EQ(function.max_threads, (Extent{256, 2, 1}));
  EXPECT_EQ(function.required_threads, (Extent{64, 1, 1}));
  EXPECT_EQ(function.min_blocks, 2u);
  EXPECT_EQ(function.cluster, (Extent{2, 1, 1}));
}

TEST(PtxParser, KeepsOneFunctionOfANameWithItsDefinition) {
  const Module module = parse(
      ".weak .func f(.param .b32 a);\n.extern .func g();\n.weak .func f(.param .b32 a) { ret; }\n"
      ".weak .func f(.param .b32 a);");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_FALSE(module.functions[0].is_declared_only);
  EXPECT_EQ(module.functions[0].instructions.size(), 1u);
  EXPECT_TRUE(module.functions[1].is_declared_only);
}

TEST(PtxParser, ReadsAliasesAndHeader) {
  const Module module = parse(
      "// comment\n/* and\n another */ .version 8.7\n.target sm_90, debug\n.address_size 64\n"
      ".func f() { ret; } .func g();\n.alias g, f;\n");
  ASSERT_EQ(module.aliases.size(), 1u);
  EXPECT_EQ(module.aliases[0].name, "g");
  EXPECT_EQ(module.aliases[0].target, "f");
}

TEST(PtxParser, ReadsDirectivesBetweenInstructions) {
  const Module module = kernel(
      ".pragma \"nounroll\", \"used\";;\n.shared .align 16 .b8 tile[64], other[4];\n"
      ".extern .shared .b8 dynamic[];\nret;");
  const auto& variables = module.functions[0].variables;
  ASSERT_EQ(variables.size(), 3u);
  EXPECT_EQ(variables[0].space, Space::kShared);
  EXPECT_EQ(variables[0].align_bytes, 16u);
  EXPECT_EQ(variables[1].size_bytes, 4u);
  EXPECT_TRUE(variables[2].is_extern);
}

TEST(PtxParser, ReadsTextThatEndsWithANul) {
  using namespace std::string_literals;
  EXPECT_EQ(parse(".entry k() { ret; }\0\0"s).functions.size(), 1u);
  EXPECT_TRUE(parse(""s).functions.empty());
}

TEST(PtxParser, KeepsNamesOfAShortTextWhenTheModuleMoves) {
  Module first = parse(".func f();");
  const Module second = std::move(first);
  EXPECT_EQ(second.functions[0].name, "f");
}

TEST(PtxTypes, HaveNamesAndSizes) {
  EXPECT_EQ(type_named("u32"), Type::kU32);
  EXPECT_EQ(type_named("bf16x2"), Type::kBF16x2);
  EXPECT_EQ(type_named("samplerref"), Type::kSampler);
  EXPECT_EQ(type_named("rn"), Type::kNone);
  EXPECT_EQ(type_named(""), Type::kNone);
  EXPECT_EQ(size_of(Type::kNone), 0u);
  EXPECT_EQ(size_of(Type::kPred), 1u);
  EXPECT_EQ(size_of(Type::kE4M3x2), 2u);
  EXPECT_EQ(size_of(Type::kF64), 8u);
  EXPECT_EQ(size_of(Type::kB128), 16u);
}

}  // namespace
}  // namespace ptx
