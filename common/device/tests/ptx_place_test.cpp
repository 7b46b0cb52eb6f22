// SPDX-License-Identifier: MIT
// Source lines, and the calls that inlined lines came through.
#include <gtest/gtest.h>

#include "ptx_test.h"

namespace ptx {
namespace {

// "file:line:column", then "(function)" if known, then " < " and the same of the call.
std::string chain(const Module& module, std::uint32_t place) {
  std::string text;
  for (; place != kNoPlace; place = module.places.at(place).inlined_at) {
    const Place& at = module.places.at(place);
    text += (text.empty() ? "" : " < ") + module.files.at(at.file) + ":" + std::to_string(at.line) +
            ":" + std::to_string(at.column);
    if (!at.function.empty()) text += "(" + std::string(at.function) + ")";
  }
  return text;
}

std::string chain_of(const Module& module, std::size_t index) {
  return chain(module, instruction(module, index).place);
}

TEST(PtxParser, ReadsLocWithFileNumberedLater) {
  const Module module = parse(
      ".entry k() {\nret;\n.loc 2 10 3\nret; ret;\n.loc 2 11\nret; }\n"
      ".file 1 \"/a/x.cu\"\n.file 2 \"/a/y.cu\"");
  EXPECT_EQ(instruction(module, 0).place, kNoPlace);
  EXPECT_EQ(chain_of(module, 1), "/a/y.cu:10:3");
  EXPECT_EQ(instruction(module, 1).place, instruction(module, 2).place);
  EXPECT_EQ(chain_of(module, 3), "/a/y.cu:11:0");
}

TEST(PtxParser, ForgetsLocAtTheEndOfAFunction) {
  const Module module = parse(".file 1 \"x\"\n.func f() {\n.loc 1 1 1\nret; }\n.func g() { ret; }");
  EXPECT_EQ(module.functions[1].instructions[0].place, kNoPlace);
}

TEST(PtxParser, ReadsFileWithAllForms) {
  const Module module = parse(
      ".file 1 \"/a/x.cu\", 1700000000, 1234\n.file 3 \"/dir\" \"y.cu\"\n"
      ".file 4 \"/dir\" \"/abs.cu\" md5 0x0123456789abcdef0123456789abcdef\n"
      ".file 5 \"/a/\\303\\266\\\\\\\"z\"\n");
  ASSERT_EQ(module.files.size(), 6u);
  EXPECT_EQ(module.files[0], "");
  EXPECT_EQ(module.files[1], "/a/x.cu");
  EXPECT_EQ(module.files[2], "");
  EXPECT_EQ(module.files[3], "/dir/y.cu");
  EXPECT_EQ(module.files[4], "/abs.cu");
  EXPECT_EQ(module.files[5], "/a/\303\266\\\"z");
}

TEST(PtxParser, ReadsInlinedCallsOfNvccWithNames) {
  const Module module = parse(
      ".entry k() {\n"
      ".loc 1 5 3\n"
      ".loc 1 3 71, function_name $L__info_string0, inlined_at 1 5 3\n"
      ".loc 1 2 71, function_name $L__info_string0+6, inlined_at 1 3 71\n"
      "ret;\n"
      ".loc 1 9 1, function_name $L__none, inlined_at 1 8 1\n"
      "ret; }\n"
      ".file 1 \"/b.cu\"\n"
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,51,109,105,0\n.b8 108, 0\n}");
  EXPECT_EQ(chain_of(module, 0), "/b.cu:2:71(l) < /b.cu:3:71(_Z3mi) < /b.cu:5:3");
  EXPECT_EQ(chain_of(module, 1), "/b.cu:9:1 < /b.cu:8:1");
}

TEST(PtxParser, ReadsInlinedCallsOfNvccWithTheNearestCall) {
  const Module module = parse(
      ".file 1 \"x\"\n.entry k() {\n"
      ".loc 1 5 3\n.loc 1 3 1, function_name f, inlined_at 1 5 3\n"
      ".loc 1 2 1, function_name f, inlined_at 1 3 1\nret;\n"
      ".loc 1 6 3\n.loc 1 3 1, function_name f, inlined_at 1 6 3\n"
      ".loc 1 2 1, function_name f, inlined_at 1 3 1\nret; }");
  EXPECT_EQ(chain_of(module, 0), "x:2:1 < x:3:1 < x:5:3");
  EXPECT_EQ(chain_of(module, 1), "x:2:1 < x:3:1 < x:6:3");
}

TEST(PtxParser, ReadsInlinedCallsInCommentsOfClang) {
  const Module module = parse(
      ".entry k() {\n"
      "\t.loc\t2 14 10  // include/h.h:14:10 @[ a.cu:15:44 @[ a.cu:20:16 ] ]\n"
      "ret;\n"
      "\t.loc\t1 20 16  // a.cu:20:16\n"
      "ret;\n"
      "\t.loc\t2 14 0  // include/h.h:14 @[ a.cu:15 ]\n"
      "ret;\n"
      "}\n.file 1 \"/src/a.cu\"\n.file 2 \"/src/include/h.h\"");
  EXPECT_EQ(chain_of(module, 0), "/src/include/h.h:14:10 < /src/a.cu:15:44 < /src/a.cu:20:16");
  EXPECT_EQ(chain_of(module, 1), "/src/a.cu:20:16");
  EXPECT_EQ(chain_of(module, 2), "/src/include/h.h:14:0 < /src/a.cu:15:0");
  // The outermost call is the place of the second instruction.
  const Place& inner = module.places[instruction(module, 0).place];
  EXPECT_EQ(module.places[inner.inlined_at].inlined_at, instruction(module, 1).place);
}

TEST(PtxParser, ReadsInlinedCallsOfFilesThatOnlyCommentsName) {
  const Module module = parse(
      ".file 1 \"/src/a.cu\"\n.file 2 \"/src/b/deep name.h\"\n.entry k() {\n"
      ".loc 1 1 1 // a.cu:1:1 @[ b/deep name.h:2:3 @[ c.h:4:5 @[ name.h:6:7 ] ] ]\nret; }");
  EXPECT_EQ(chain_of(module, 0), "/src/a.cu:1:1 < /src/b/deep name.h:2:3 < c.h:4:5 < name.h:6:7");
}

TEST(PtxParser, IgnoresCommentsThatAreNoChains) {
  for (const std::string comment :
       {"", "//", "// see foo.cu:3", "// a.cu:1:1 @[", "// a.cu:1:1 @[ ]", "// a.cu:1:1 @[ : ]",
        "// a.cu:1:1 @[ b.cu:2:x ]", "// a.cu:7:1 @[ b.cu:1:1 ]", "// :1:1 @[ b.cu:1:1 ]",
        "// @[ b.cu:1:1 ]", "// a.cu:1:99999999999 @[ b.cu:1:1 ]"}) {
    const Module module =
        parse(".file 1 \"a.cu\"\n.entry k() {\n.loc 1 1 1 " + comment + "\nret; }");
    EXPECT_EQ(chain_of(module, 0), "a.cu:1:1") << comment;
  }
}

TEST(PtxParser, SharesEqualPlaces) {
  const std::string lines =
      ".loc 1 1 1 // a.cu:1:1 @[ b.cu:2:2 ]\nret;\n.loc 2 2 2 // b.cu:2:2\nret;\n";
  const Module module =
      parse(".entry k() {\n" + lines + lines + "}\n.file 1 \"/x/a.cu\"\n.file 2 \"/x/b.cu\"");
  EXPECT_EQ(module.places.size(), 3u);
  EXPECT_EQ(instruction(module, 0).place, instruction(module, 2).place);
  EXPECT_EQ(instruction(module, 1).place, instruction(module, 3).place);
}

TEST(PtxParser, GivesNoFileToPlacesWithoutADotFile) {
  const Module module = kernel(".loc 7 1 1\nret;\n.loc 0 2 2\nret;");
  EXPECT_EQ(chain_of(module, 0), ":1:1");
  EXPECT_EQ(chain_of(module, 1), ":2:2");
}

TEST(PtxParser, BoundsChainsOfInlinedCalls) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += ".loc 1 1 1, inlined_at 1 1 1\n";
  const Module module = kernel(text + "ret;");
  std::size_t depth = 0;
  for (std::uint32_t at = instruction(module, 0).place; at != kNoPlace;
       at = module.places.at(at).inlined_at) {
    ++depth;
  }
  EXPECT_LE(depth, 1100u);
}

TEST(PtxParser, KeepsTextOfDebugSections) {
  const Module module = parse(
      ".section .debug_abbrev\n{\n.b8 1 // a } in a comment\n}\n"
      "\t.section\t.debug_macinfo\t{\t}\n.func f();");
  ASSERT_EQ(module.debug_sections.size(), 2u);
  EXPECT_EQ(module.debug_sections[0], ".section .debug_abbrev\n{\n.b8 1 // a } in a comment\n}");
  EXPECT_EQ(module.debug_sections[1], ".section\t.debug_macinfo\t{\t}");
  EXPECT_EQ(module.functions.size(), 1u);
}

}  // namespace
}  // namespace ptx
