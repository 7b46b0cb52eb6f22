// SPDX-License-Identifier: MIT
// Names: registers, ranges of them, and what scopes declare again.
#include <gtest/gtest.h>

#include "ptx_test.h"

namespace ptx {
namespace {

std::string registers(const Module& module) {
  std::string text;
  for (const Register& found : module.functions.at(0).registers) {
    text += (text.empty() ? "" : " ") + std::string(found.name) + ":" +
            std::to_string(size_of(found.type));
  }
  return text;
}

TEST(PtxParser, ReadsRangeWithTheRegistersThatAreNamed) {
  const Module module = kernel(".reg .b64 %rd<1000000000>, x; mov.b64 %rd7, %rd999999999;");
  EXPECT_EQ(registers(module), "x:8 %rd7:8 %rd999999999:8");
  EXPECT_EQ(shown(module), "mov.b64 %rd7 %rd999999999");
}

TEST(PtxParser, ReadsRangeWithAPrefixThatEndsInADigit) {
  const Module module = kernel(".reg .b32 %r1<3>; .reg .b64 %r<9>; mov.b32 %r12, %r8;");
  EXPECT_EQ(registers(module), "%r12:4 %r8:8");
}

TEST(PtxParser, ReadsRangeWithoutNumbersBeyondIt) {
  // What is not declared may be a special register, which `code` knows.
  const Module module = kernel(".reg .b32 %r<3>; mov.b32 %r3, %r01;");
  EXPECT_EQ(registers(module), "");
}

TEST(PtxParser, RenamesRegistersThatScopesDeclareAgain) {
  const Module module = kernel(
      ".reg .b32 a;\n"
      "{ .reg .b64 a; mov.b64 a, 1; { .reg .b16 a; mov.b16 a, 2; } mov.b64 a, 3; }\n"
      "mov.b32 a, 4;\n"
      "{ .reg .f32 a; mov.f32 a, 5; }");
  EXPECT_EQ(registers(module), "a:4 a$1:8 a$2:2 a$3:4");
  EXPECT_EQ(shown(module, 0), "mov.b64 a$1 1");
  EXPECT_EQ(shown(module, 1), "mov.b16 a$2 2");
  EXPECT_EQ(shown(module, 2), "mov.b64 a$1 3");
  EXPECT_EQ(shown(module, 3), "mov.b32 a 4");
  EXPECT_EQ(shown(module, 4), "mov.f32 a$3 5");
}

TEST(PtxParser, RenamesRegistersInGuardsPairsAndAddresses) {
  const Module module = kernel(
      "{ .reg .pred p; .reg .b64 x; }\n"
      "{ .reg .pred p, q; .reg .b64 x; @!p setp.eq.u64 p|q, x, [x+8], !p; st.v2 [1], {x, _|p}; }");
  EXPECT_EQ(shown(module, 0), "@!p$1 setp.eq.u64 p$1|q x$1 [x$1+8] !p$1");
  EXPECT_EQ(shown(module, 1), "st.v2 [+1] {x$1,_|p$1}");
}

TEST(PtxParser, RenamesWithoutTakingANameThatIsDeclared) {
  const Module module = kernel(
      "{ .reg .b32 a; } .reg .b32 a$1; { .reg .b32 a; mov.b32 a, a$1; }\n"
      "{ .reg .b32 a$2; mov.b32 a$2, 0; }");
  EXPECT_EQ(shown(module, 0), "mov.b32 a$2 a$1");
  EXPECT_EQ(shown(module, 1), "mov.b32 a$2$1 0");
}

TEST(PtxParser, KeepsRegistersOfAnOuterRangeInScopes) {
  const Module module = kernel(
      ".reg .b32 %r<9>; { mov.b32 %r1, 0; } mov.b32 %r1, 1;\n"
      "{ .reg .b64 %r<2>; mov.b64 %r1, %r5; { mov.b64 %r0, 0; } mov.b64 %r0, 1; }\n"
      "{ .reg .b16 %r1; mov.b16 %r1, 2; }\n"
      "mov.b32 %r1, %r0;");
  EXPECT_EQ(shown(module, 0), "mov.b32 %r1 0");
  EXPECT_EQ(shown(module, 1), "mov.b32 %r1 1");
  EXPECT_EQ(shown(module, 2), "mov.b64 %r1$1 %r5");
  EXPECT_EQ(shown(module, 3), "mov.b64 %r0$1 0");
  EXPECT_EQ(shown(module, 4), "mov.b64 %r0$1 1");
  EXPECT_EQ(shown(module, 5), "mov.b16 %r1$2 2");
  EXPECT_EQ(shown(module, 6), "mov.b32 %r1 %r0$2");
}

TEST(PtxParser, KeepsSpecialRegistersOutsideOfAScopeThatHidesThem) {
  const Module module =
      kernel("{ .reg .b32 %laneid; mov.u32 %laneid, 1; } .reg .b32 r; mov.u32 r, %laneid;");
  EXPECT_EQ(shown(module, 0), "mov.u32 %laneid$1 1");
  EXPECT_EQ(shown(module, 1), "mov.u32 r %laneid");
}

TEST(PtxParser, RenamesParametersOfCallsWithScopes) {
  const Module module = kernel(
      "{ .param .b32 param0; st.param.b32 [param0], 1; call f, (param0); }\n"
      "{ .param .align 8 .b8 param0[32]; st.param.b64 [param0+24], 1; call f, (param0); }");
  EXPECT_EQ(shown(module, 0), "st.param.b32 [param0] 1");
  EXPECT_EQ(shown(module, 2), "st.param.b64 [param0$1+24] 1");
  EXPECT_EQ(shown(module, 3), "call &f {&param0$1}");
  const auto& variables = module.functions[0].variables;
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[1].name, "param0$1");
  EXPECT_EQ(variables[1].size_bytes, 32u);
}

TEST(PtxParser, RenamesVariablesOfAFunctionThatHaveAModulesName) {
  const Module module = parse(
      ".global .b32 x; .entry k() {\n"
      ".reg .b64 a; mov.u64 a, x; .shared .b32 x; mov.u64 a, x; }\n"
      ".entry l() { .reg .b64 a; mov.u64 a, x; { .reg .b64 x; mov.u64 a, x; } }");
  EXPECT_EQ(shown(module, 0), "mov.u64 a &x");
  EXPECT_EQ(shown(module, 1), "mov.u64 a &x$1");
  EXPECT_EQ(shown(module.functions[1].instructions[0]), "mov.u64 a &x");
  EXPECT_EQ(shown(module.functions[1].instructions[1]), "mov.u64 a x$1");
}

TEST(PtxParser, RenamesLabelsWithScopes) {
  const std::string wait = "{ .reg .pred p; WAIT: @p bra DONE; bra.uni WAIT; DONE: }\n";
  const Module module = kernel(wait + wait + "bra END; { bra END; } END: ret;");
  EXPECT_EQ(shown(module, 0), "@p bra &DONE");
  EXPECT_EQ(shown(module, 1), "bra.uni &WAIT");
  EXPECT_EQ(shown(module, 2), "@p$1 bra &DONE$1");
  EXPECT_EQ(shown(module, 3), "bra.uni &WAIT$1");
  EXPECT_EQ(shown(module, 4), "bra &END");
  EXPECT_EQ(shown(module, 5), "bra &END");
  std::string labels;
  for (const Label& label : module.functions[0].labels) labels += std::string(label.name) + " ";
  EXPECT_EQ(labels, "WAIT DONE WAIT$1 DONE$1 END ");
}

TEST(PtxParser, FindsTheLabelOfTheInnermostScope) {
  const Module module = kernel("{ { bra L; L: } bra L; } bra L; { { L: bra L; } } L:");
  EXPECT_EQ(shown(module, 0), "bra &L");  // its neighbour
  EXPECT_EQ(shown(module, 1), "bra &L$2");
  EXPECT_EQ(shown(module, 2), "bra &L$2");
  EXPECT_EQ(shown(module, 3), "bra &L$1");
}

TEST(PtxParser, RenamesTablesAndTheirTargetsWithScopes) {
  const std::string branch = "{ .reg .b32 i; T: .branchtargets A, B; brx.idx i, T; A: B: ret; }\n";
  const Module module = kernel(branch + branch);
  EXPECT_EQ(shown(module, 0), "brx.idx i &T");
  EXPECT_EQ(shown(module, 2), "brx.idx i$1 &T$1");
  const auto& tables = module.functions[0].tables;
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[1].label, "T$1");
  EXPECT_EQ(tables[1].targets, (std::vector<std::string_view>{"A$1", "B$1"}));
}

TEST(PtxParser, ReadsRegistersThatAreVectors) {
  const Module module = kernel(
      ".reg .v4 .f32 v; .reg .b32 r; mov.f32 v.y, v.a; ld.v4.f32 v, [r];\n"
      "{ .reg .v2 .b64 v; st.v2.b64 [r], v; }");
  EXPECT_EQ(registers(module), "v.x:4 v.y:4 v.z:4 v.w:4 r:4 v$1.x:8 v$1.y:8");
  EXPECT_EQ(shown(module, 0), "mov.f32 v.y v.w");
  EXPECT_EQ(shown(module, 1), "ld.v4.f32 {v.x,v.y,v.z,v.w} [r]");
  EXPECT_EQ(shown(module, 2), "st.v2.b64 [r] {v$1.x,v$1.y}");
}

TEST(PtxParser, GivesEachFunctionItsOwnNames) {
  const Module module = parse(
      ".func f() { .reg .b32 a; L: bra L; } .func g() { .reg .b64 a; L: bra L; mov.b64 a, 0; }");
  EXPECT_EQ(shown(module.functions[1].instructions[0]), "bra &L");
  EXPECT_EQ(shown(module.functions[1].instructions[1]), "mov.b64 a 0");
}

}  // namespace
}  // namespace ptx
