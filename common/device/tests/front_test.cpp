// SPDX-License-Identifier: MIT
// What the front end changes in clang's intermediate code.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "front/alignment.h"
#include "front/constant_stores.h"
#include "front/module.h"

namespace front {
namespace {

constexpr std::string_view kHead =
    R"(%struct.Packed = type <{ i8, i32 }>
%struct.Pair = type { float, float }
@tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4
@bytes = external addrspace(3) global [0 x i8], align 1
@packed = internal addrspace(3) global [8 x %struct.Packed] undef, align 1
@table = dso_local addrspace(4) externally_initialized constant [32 x i32] zeroinitializer, align 4
@other = dso_local addrspace(1) externally_initialized global [32 x i32] zeroinitializer, align 4

define dso_local ptx_kernel void @fill(ptr noundef %0) #0 {
  %v = alloca %struct.float4, align 16
  %pair = alloca %struct.Pair, align 4
  %kept = alloca [2 x %struct.float4], align 16
  %floats = alloca [4 x float], align 16
  %at = getelementptr inbounds [33 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %t
  %near = getelementptr inbounds float, ptr %at, i64 1
  %member = getelementptr inbounds nuw %struct.Whole, ptr %0, i32 0, i32 0
  %slot = getelementptr inbounds [2 x %struct.float4], ptr %kept, i64 0, i64 1
  %one = getelementptr inbounds [8 x %struct.Packed], ptr addrspacecast (ptr addrspace(3) @packed to ptr), i64 0, i64 %t
  %field = getelementptr inbounds nuw %struct.Packed, ptr %one, i32 0, i32 1
)";
constexpr std::string_view kBytes = "addrspacecast (ptr addrspace(3) @bytes to ptr)";

std::string with(std::string_view line) {
  return std::string(kHead).append(line).append("\n  ret void\n}\n");
}

std::string aligned(std::string_view line) {
  Module module(with(line));
  align_as_types_are(module);
  return module.text();
}

std::string kept(std::string_view text) {
  Module module(text);
  keep_constant_stores(module);
  return module.text();
}

std::string copy(std::string_view to, std::string_view from, std::string_view bytes,
                 std::string_view mark = ", !tbaa.struct !7") {
  return std::string("  call void @llvm.memcpy.p0.p0.i64(ptr ")
      .append(to)
      .append(", ptr ")
      .append(from)
      .append(", i64 ")
      .append(bytes)
      .append(", i1 false), !dbg !5")
      .append(mark);
}

std::string copied(std::string_view to, std::string_view from, std::string_view bytes) {
  return with(copy(to, from, bytes, ""));
}

TEST(FrontAlignment, AnAccessToAVariableHasTheAlignmentOfItsType) {
  EXPECT_EQ(aligned("  %1 = load double, ptr %at, align 4, !dbg !2, !tbaa !9"),
            with("  %1 = load double, ptr %at, align 8, !dbg !2"));
  EXPECT_EQ(aligned("  store volatile <2 x half> %h, ptr %near, align 2, !tbaa !9"),
            with("  store volatile <2 x half> %h, ptr %near, align 4"));
  const std::string bytes(kBytes);
  EXPECT_EQ(aligned("  %1 = load i32, ptr " + bytes + ", align 1"),
            with("  %1 = load i32, ptr " + bytes + ", align 4"));
}

TEST(FrontAlignment, WhatIsDeclaredWithLessKeepsIt) {
  for (const std::string_view line : {
           "  %1 = load i32, ptr %field, align 1",     // packed
           "  %1 = load i32, ptr %0, align 1",         // through a pointer, whose type says it
           "  %1 = load float, ptr %near, align 4",    // its own type
           "  store double %d, ptr %floats, align 4",  // local: registers
           "  %1 = load i24, ptr %at, align 1",        // of bit fields
           "  %1 = load { i32, i32 }, ptr %at, align 4",
       }) {
    EXPECT_EQ(aligned(line), with(line));
  }
}

TEST(FrontAlignment, ACopyOfAStructureHasTheAlignmentThatOneSideShows) {
  for (const std::string_view shows : {"align 16 %v", "align 16 %0", "align 16 %slot"}) {
    EXPECT_EQ(aligned(copy(shows, "align 4 %at", "16")), copied(shows, "align 16 %at", "16"));
    EXPECT_EQ(aligned(copy("align 4 %near", shows, "16")), copied("align 16 %near", shows, "16"));
  }
}

// A structure's first member lies at a multiple of 16, too; and an array may be declared so.
TEST(FrontAlignment, AMemberAndAnotherTypeShowNothing) {
  for (const std::string_view other : {"align 4 %pair", "align 16 %member", "align 16 %floats"}) {
    EXPECT_EQ(aligned(copy(other, "align 4 %at", "8")), copied(other, "align 4 %at", "8"));
  }
  EXPECT_EQ(aligned(copy("align 16 %0", "align 4 %at", "12")),  // no size of such a type
            copied("align 16 %0", "align 4 %at", "12"));
}

TEST(FrontAlignment, ACopyOfBytesStaysAsItIs) {
  const std::string line = copy("align 16 %v", "align 4 %at", "16", "");
  EXPECT_EQ(aligned(line), with(line));
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
