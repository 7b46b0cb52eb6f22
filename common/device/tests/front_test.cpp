// SPDX-License-Identifier: MIT
// What the front end changes in clang's intermediate code.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "front/changes.h"
#include "front/module.h"

namespace front {
namespace {

constexpr std::string_view kHead =
    R"(@tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4
@bytes = external addrspace(3) global [0 x i8], align 1
@table = dso_local addrspace(4) externally_initialized constant [32 x i32] zeroinitializer, align 4
@other = dso_local addrspace(1) externally_initialized global [32 x i32] zeroinitializer, align 4

define dso_local ptx_kernel void @fill(ptr noundef %0) #0 {
  %v = alloca %struct.float4, align 16
  %node = alloca %"struct.lab::Node", align 8
  %other = alloca %"struct.lab::Node", align 16
  %floats = alloca [4 x float], align 4
  %at = getelementptr inbounds [33 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %t
  %near = getelementptr inbounds float, ptr %at, i64 1
  %local = getelementptr inbounds [4 x float], ptr %floats, i64 0, i64 1
  %member = getelementptr inbounds nuw %struct.Tile, ptr %0, i32 0, i32 1
  %item = getelementptr inbounds [8 x i32], ptr %member, i64 0, i64 %t
  %vector = getelementptr inbounds [8 x %struct.float4], ptr %member, i64 0, i64 %t
)";
constexpr std::string_view kTail = R"(  ret void
}
!1 = !{!10, !10, i64 0, i64 4}
!2 = !{!13, !10, i64 8, i64 4}
!3 = !{!11, !11, i64 0, i64 4}
!4 = !{!12, !12, i64 0, i64 16}
!5 = !{!14, !14, i64 0, i64 8}
!6 = !{!16, !16, i64 0, i64 4}
!10 = !{!11, i64 4, !"int"}
!11 = !{!15, i64 1, !"omnipotent char"}
!12 = !{!11, i64 16, !"_ZTS6float4", !10, i64 0, i64 4}
!13 = !{!11, i64 16, !"_ZTS4Tile", !10, i64 0, i64 4}
!14 = !{!11, i64 8, !"_ZTSN3lab4NodeE", !10, i64 0, i64 4}
!15 = !{!"Simple C++ TBAA"}
!16 = !{!11, i64 4, !"_ZTS7__half2", !10, i64 0, i64 2}
)";
constexpr std::string_view kInt = ", !tbaa !1";
constexpr std::string_view kMember = ", !tbaa !2";
constexpr std::string_view kAnything = ", !tbaa !3";
constexpr std::string_view kFloat4 = ", !tbaa !4, !tbaa.struct !7";
constexpr std::string_view kPair = ", !tbaa !6, !tbaa.struct !8";
constexpr std::string_view kNode = ", !tbaa !5, !tbaa.struct !8";
constexpr std::string_view kBytes = "addrspacecast (ptr addrspace(3) @bytes to ptr)";

std::string with(std::string_view line) {
  return std::string(kHead).append(line).append("\n").append(kTail);
}

std::string aligned(std::string_view line, std::string_view mark,
                    Locals locals = Locals::kRegisters) {
  Module module(with(std::string(line).append(mark)));
  access_as_nvcc_does(module, locals);
  return module.text();
}

std::string kept(std::string_view text) {
  Module module(text);
  keep_constant_stores(module);
  return module.text();
}

std::string copy(std::string_view to, std::string_view from, std::string_view bytes) {
  return std::string("  call void @llvm.memcpy.p0.p0.i64(ptr ")
      .append(to)
      .append(", ptr ")
      .append(from)
      .append(", i64 ")
      .append(bytes)
      .append(", i1 false), !dbg !9");
}

TEST(FrontAccesses, AScalarThroughACastPointerHasTheAlignmentOfItsType) {
  EXPECT_EQ(aligned("  %1 = load double, ptr %at, align 4, !dbg !9", kInt),
            with("  %1 = load double, ptr %at, align 8, !dbg !9"));
  EXPECT_EQ(aligned("  store volatile i64 %h, ptr %near, align 2", kInt),
            with("  store volatile i64 %h, ptr %near, align 8"));
  EXPECT_EQ(aligned("  %1 = load i64, ptr %item, align 4", kInt),
            with("  %1 = load i64, ptr %item, align 8"));
  const std::string bytes(kBytes);
  EXPECT_EQ(aligned("  %1 = load i32, ptr " + bytes + ", align 1", kInt),
            with("  %1 = load i32, ptr " + bytes + ", align 4"));
}

TEST(FrontAccesses, WhatIsDeclaredWithLessKeepsIt) {
  const std::string_view load = "  %1 = load i32, ptr %at, align 1";
  EXPECT_EQ(aligned(load, kMember), with(load));    // its structure may be packed
  EXPECT_EQ(aligned(load, kAnything), with(load));  // a member of a union
  EXPECT_EQ(aligned(load, ""), with(load));         // bit fields
  for (
      const std::string_view line : {
          "  %1 = load i32, ptr %item, align 1",  // of an array in a packed structure
          "  %1 = load i32, ptr getelementptr inbounds ([4 x i32], ptr getelementptr inbounds nuw "
          "(%struct.P, ptr addrspacecast (ptr addrspace(3) @p to ptr), i32 0, i32 1), i64 0, i64 2), "
          "align 1",
          "  store i64 %d, ptr %local, align 4",  // in registers
          "  %1 = load i24, ptr %at, align 1",
          "  %1 = load { i32, i32 }, ptr %at, align 4",
      }) {
    EXPECT_EQ(aligned(line, kInt), with(line));
  }
}

TEST(FrontAccesses, ACopyOfAVectorHasItsAlignmentOnBothSides) {
  EXPECT_EQ(aligned(copy("align 16 %v", "align 4 %at", "16"), kFloat4),
            with(copy("align 16 %v", "align 16 %at", "16")));
  EXPECT_EQ(aligned(copy("align 4 %near", "align 4 %local", "16"), kFloat4),
            with(copy("align 16 %near", "align 4 %local", "16")));
  EXPECT_EQ(aligned(copy("align 1 %vector", "align 16 %v", "16"), kFloat4),  // packed
            with(copy("align 1 %vector", "align 16 %v", "16")));
}

TEST(FrontAccesses, AStructureIsAlignedAsItsLeastAlignedLocalVariable) {
  EXPECT_EQ(aligned(copy("align 4 %at", "align 16 %other", "8"), kNode),
            with(copy("align 8 %at", "align 16 %other", "8")));
}

TEST(FrontAccesses, ACopyOfBytesStaysAsItIs) {
  for (const std::string_view mark : {std::string_view{}, kAnything, kMember}) {
    const std::string line = copy("align 16 %v", "align 4 %at", "16");
    EXPECT_EQ(aligned(line, mark), with(line));
  }
}

TEST(FrontAccesses, FromPointerToPointerACopyIsOfWholeVectors) {
  EXPECT_EQ(aligned(copy("align 4 %at", "align 16 %0", "16"), kFloat4),
            with("  %whole.0.0 = load <2 x i64>, ptr %0, align 16, !dbg !9\n"
                 "  store <2 x i64> %whole.0.0, ptr %at, align 16, !dbg !9"));
  EXPECT_EQ(aligned(copy("align 16 %0", "align 16 %member", "32"), ", !tbaa !2, !tbaa.struct !7"),
            with("  %whole.0.0 = load <2 x i64>, ptr %member, align 16, !dbg !9\n"
                 "  store <2 x i64> %whole.0.0, ptr %0, align 16, !dbg !9\n"
                 "  %whole.0.16.to = getelementptr inbounds i8, ptr %0, i64 16\n"
                 "  %whole.0.16.from = getelementptr inbounds i8, ptr %member, i64 16\n"
                 "  %whole.0.16 = load <2 x i64>, ptr %whole.0.16.from, align 16, !dbg !9\n"
                 "  store <2 x i64> %whole.0.16, ptr %whole.0.16.to, align 16, !dbg !9"));
  const std::string odd = copy("align 16 %0", "align 16 %member", "20");
  EXPECT_EQ(aligned(odd, kFloat4), with(odd));
}

TEST(FrontAccesses, LocalVariablesInMemoryAreCopiedByVectors) {
  EXPECT_EQ(aligned(copy("align 4 %local", "align 4 %at", "16"), kFloat4, Locals::kMemory),
            with("  %whole.0.0 = load <2 x i64>, ptr %at, align 16, !dbg !9\n"
                 "  store <2 x i64> %whole.0.0, ptr %local, align 4, !dbg !9"));
}

TEST(FrontAccesses, ACopyOfTwoHalvesIsOfOneWord) {
  EXPECT_EQ(aligned(copy("align 4 %floats", "align 2 %near", "4"), kPair),
            with("  %whole.0.0 = load i32, ptr %near, align 4, !dbg !9\n"
                 "  store i32 %whole.0.0, ptr %floats, align 4, !dbg !9"));
}

TEST(FrontAccesses, TextOfTheProgramIsNoMark) {
  const std::string text = "@.str = private constant [9 x i8] c\"x, !tbaa\\00\", align 1\n";
  Module module(text);
  access_as_nvcc_does(module, Locals::kRegisters);
  EXPECT_EQ(module.text(), text);
}

constexpr std::string_view kTable = "addrspacecast (ptr addrspace(4) @table to ptr)";

std::string third() {
  return "getelementptr inbounds ([32 x i32], ptr " + std::string(kTable) + ", i64 0, i64 3)";
}

std::string element() {
  return "  %9 = getelementptr inbounds [32 x i32], ptr " + std::string(kTable) +
         ", i64 0, i64 %8\n";
}

std::string hidden(std::string_view pointer) {
  return "  %kept.0 = call ptr asm \"mov.b64 $0, $1;\", \"=l,l\"(ptr " + std::string(pointer) +
         ")\n";
}

// `begin` and `end` of a line that stores through `pointer`.
void expect_kept(const std::string& before, const std::string& begin, const std::string& pointer,
                 const std::string& end) {
  EXPECT_EQ(kept(with(before + begin + pointer + end)),
            with(before + hidden(pointer) + begin + "%kept.0" + end));
}

TEST(FrontConstantStores, GetAPointerThatLlvmDoesNotKnow) {
  const std::string table(kTable);
  const std::string held = "  store ptr " + table +
                           ", ptr %3, align 8\n  %4 = load ptr, ptr %3, align 8\n"
                           "  %5 = getelementptr i32, ptr %4, i64 2\n";
  expect_kept(element(), "  store i32 1, ptr ", "%9", ", align 4, !dbg !2");
  expect_kept("", "  store i32 7, ptr ", third(), ", align 4");
  expect_kept(held, "  store i32 1, ptr ", "%5", ", align 4");
  expect_kept("", "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 ", table,
              ", ptr align 4 %1, i64 8, i1 false)");
  expect_kept("", "  call void @llvm.memset.p0.i64(ptr align 4 ", third(),
              ", i8 0, i64 20, i1 false)");
}

TEST(FrontConstantStores, OtherCodeStaysAsItIs) {
  const std::string table(kTable);
  for (const std::string& line : {
           element() + "  %10 = load i32, ptr %9, align 4\n  store i32 %10, ptr %0, align 4",
           "  store ptr " + table + ", ptr %3, align 8",
           std::string(
               "  store i32 1, ptr addrspacecast (ptr addrspace(1) @other to ptr), align 4"),
           copy("align 4 %1", "align 4 " + table, "8"),
       }) {
    EXPECT_EQ(kept(with(line)), with(line));
  }
}

TEST(FrontConstantStores, AreFollowedIntoTheFunctionsThatGetThePointer) {
  const std::string text =
      "define void @put(i32 noundef %0, ptr noundef %1) #1 {\n  store i32 %0, ptr %1, align 4\n"
      "  store i32 2, ptr @g, align 4\n  ret void\n}\n" +
      with("  call void @put(i32 noundef 3, ptr noundef " + std::string(kTable) + ") #5, !dbg !23");
  std::string expected = text;
  expected.insert(expected.find("  store i32 %0"), hidden("%1"));
  expected.replace(expected.find("ptr %1, align"), 6, "ptr %kept.0");
  EXPECT_EQ(kept(text), expected);
}

}  // namespace
}  // namespace front
