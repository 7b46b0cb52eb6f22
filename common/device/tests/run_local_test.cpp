// SPDX-License-Identifier: MIT
// Pointers to local variables of functions that were compiled as written.
#include "run_test.h"

namespace run_test {
namespace {

// Two variables of the function, at offsets 8 and 24 of its depot: int best[4], int last[2]. clang
// describes them so, in fewer words.
std::string debug_text(
    const std::string& location_of_last = "11, 3\n.b64 __local_depot0\n.b8 35,24",
    const std::string& vector = "") {
  return ".section .debug_abbrev\n{\n"
         ".b8 1,17,1,0,0\n"                 // the unit
         ".b8 2,46,1,17,1,0,0\n"            // a function
         ".b8 3,52,0,2,10,3,8,73,19,0,0\n"  // a variable
         ".b8 4,1,1,73,19," +
         std::string(vector.empty() ? "" : "135,66,12,") +
         "0,0\n"                       // an array
         ".b8 5,33,0,55,11,0,0\n"      // its length
         ".b8 6,36,0,3,8,11,11,0,0\n"  // int
         ".b8 0\n}\n"
         ".section .debug_info\n{\n"
         ".b32 1000\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n"  // 11: the unit
         ".b8 6, 105, 110, 116, 0, 4\n"                                 // 12: int
         ".b8 4\n.b32 12\n" +
         vector +
         ".b8 5, 4, 0\n"  // 18: int[4]
         ".b8 4\n.b32 12\n" +
         vector +
         ".b8 5, 2, 0\n"  // 26, or 27: int[2]
         ".b8 2\n.b64 $L__begin0\n"
         ".b8 3, 11, 3\n.b64 __local_depot0\n.b8 35, 8, 98, 101, 115, 116, 0\n.b32 18\n"
         ".b8 3, " +
         location_of_last + ", 108, 97, 115, 116, 0\n.b32 " + (vector.empty() ? "26" : "27") +
         "\n.b8 0\n.b8 0\n}\n";
}

// The kernel writes the word `index` behind the beginning of a variable, and reads it into %a.
std::string accesses(int offset, int index) {
  return ".local .align 8 .b8 __local_depot0[32];\n.reg .b64 %SP, %SPL;\n"
         "mov.b64 %SPL, __local_depot0;\ncvta.local.u64 %SP, %SPL;\n"
         "st.b32 [%SP+8], 7;\nst.b32 [%SP+24], 9;\n"
         "add.u64 %p, %SP, 8;\nadd.u64 %p, %SP, " +
         std::to_string(offset) + ";\nadd.u64 %q, %SP, 24;\n" + "add.s64 %p, %p, " +
         std::to_string(4 * index) + ";\nst.b32 [%p], 5;\nld.b32 %a, [%p];\n" + kStore;
}

class RunLocal : public Run {
 protected:
  std::uint32_t run(int offset, int index, const std::string& debug) {
    load(kernel(accesses(offset, index)) + debug);
    return launch(1, 1).front();
  }
  void expect(const std::string& words) {
    ASSERT_EQ(findings_.size(), 1U);
    EXPECT_EQ(findings_[0].kind, report::Kind::kOutOfBounds);
    EXPECT_EQ(findings_[0].message, "thread 0 of block 0 writes 4 bytes" + words);
  }
};

TEST_F(RunLocal, InsideOfAVariable) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run(8, i, debug_text()), 5U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(24, i, debug_text()), 5U);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RunLocal, PastTheEnd) {
  run(8, 4, debug_text());
  expect(" right past the end of local best (16 bytes), index 4 in items of 4 bytes");
  run(8, 6, debug_text());
  expect(", 8 bytes past the end of local best (16 bytes), index 6 in items of 4 bytes");
  run(24, 2, debug_text());
  expect(" right past the end of local last (8 bytes), index 2 in items of 4 bytes");
}

TEST_F(RunLocal, BeforeTheStart) {
  run(24, -1, debug_text());
  expect(
      ", 4 bytes before the start of local last (8 bytes): the index is negative or the pointer "
      "wrong");
}

// As compiled, the text does not say where variables are.
TEST_F(RunLocal, WithoutDebugInformationNothingIsMoved) {
  EXPECT_EQ(run(8, 4, ""), 5U);
  EXPECT_TRUE(findings_.empty());
  EXPECT_EQ(program_->find("k")->local_bytes, 32U);
}

// `auto [best, last] = pair;` describes members of one object, whose address is that of the first.
TEST_F(RunLocal, MembersOfOneObjectAreNoVariables) {
  const std::string member = "13, 3\n.b64 __local_depot0\n.b8 35,8,35,16";
  EXPECT_EQ(run(8, 4, debug_text(member)), 5U);
  EXPECT_TRUE(findings_.empty());
}

// Three elements of a vector take the room of four.
TEST_F(RunLocal, VectorsAreNotGuarded) {
  EXPECT_EQ(run(8, 4, debug_text("11, 3\n.b64 __local_depot0\n.b8 35,24", ".b8 1\n")), 5U);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RunLocal, BrokenDebugInformationIsIgnored) {
  const std::string whole = debug_text();
  for (const char* const broken : {".b8 35,24", ".b32 1000", ".b8 6, 105"}) {
    std::string text = whole;
    text.erase(text.find(broken), std::string(broken).size());
    run(8, 0, text);
    EXPECT_TRUE(findings_.empty()) << broken;
  }
  EXPECT_EQ(run(8, 4, ".section .debug_info\n{\n.b8 1\n}\n"), 5U);
}

}  // namespace
}  // namespace run_test
