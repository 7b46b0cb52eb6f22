// SPDX-License-Identifier: MIT
// Inline PTX, and kernels that are cast to void*.
#include <gtest/gtest.h>

#include "rewriter_test.h"

namespace simt::rewriter {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RewriterPtx, LeavesTheProcessorsOwnAssemblyAlone) {
  for (const std::string text :
       {R"(asm volatile("rdtsc" : "=a"(low), "=d"(high));)", R"(asm volatile("" ::: "memory");)",
        R"(asm("mov %0, %1" : "=r"(x) : "r"(y));)", R"(__asm__("mfence");)"}) {
    EXPECT_EQ(rewritten(text), text);
  }
}

TEST(RewriterPtx, LeavesATextAloneThatAMacroMakes) {
  const std::string text = R"(asm("add." TYPE " %0, %1, 1;" : "=r"(x) : "r"(y));)";
  EXPECT_EQ(rewritten(text), text);
}

TEST(RewriterPtx, BecomesAStatement) {
  const std::string text =
      rewritten("if (x) asm(\"add.u32 %0, %1, 1;\" : \"=r\"(x) : \"r\"(y)); else f();");
  EXPECT_TRUE(has(text, "if (x) do {"));
  EXPECT_TRUE(has(text, "} while (0); else f();"));
  EXPECT_TRUE(has(text, "::simt::ptx::add<unsigned>"));
  EXPECT_TRUE(has(text, "simt_ptx1.take<unsigned>(y)"));
  EXPECT_TRUE(has(text, "simt_ptx0.give(x)"));
}

TEST(RewriterPtx, KeepsTheNumbersOfLines) {
  const std::string text = rewritten(
      "asm volatile(\n  \"add.u32 %0, %0, 1;\\n\"\n  \"shl.b32 %0, %0, 2;\"\n  : \"+r\"(x));\n"
      "after();");
  EXPECT_EQ(line_of(text, "after"), 5);
}

TEST(RewriterPtx, NamesWhatItDoesNotKnow) {
  EXPECT_TRUE(has(rewritten(R"(asm volatile("wgmma.fence.sync.aligned;");)"),
                  R"(::simt::unknown_ptx("wgmma.fence.sync.aligned");)"));
  EXPECT_TRUE(has(rewritten(R"(asm volatile("prmt.b32.f4e %0, %1, %1, 3;" : "=r"(x) : "r"(y));)"),
                  "unknown_ptx"));
}

TEST(RewriterPtx, ChecksTheRegistersOfAProduct) {
  const std::string start = R"(asm("mma.sync.aligned.m16n8k8.row.col.)";
  const std::string right =
      "f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};";
  const std::string end = R"(" : "+f"(w), "+f"(x), "+f"(y), "+f"(z) : "r"(a));)";
  EXPECT_TRUE(has(rewritten(start + right + end), "MatrixProduct<16, 8, float, ::simt::ptx::Tf32"));
  for (const std::string wrong :
       {"f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4}, {%4,%4}, {%0,%1,%2,%3};",
        "f16.tf32.tf32.f16 {%0,%1}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1};",
        "f32.tf32.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"}) {
    std::string source = start;
    source += wrong;
    source += end;
    EXPECT_TRUE(has(rewritten(source), "unknown_ptx")) << wrong;
  }
}

TEST(RewriterPtx, NamesWhatAnAssemblerWouldMiss) {
  const auto complaint = [](const std::string& text) {
    return rewritten("asm volatile(\"" + text + "\" : \"=r\"(x) : \"r\"(y));");
  };
  EXPECT_TRUE(has(complaint("add.s32 %0, %1, %5;"), "uses %5, but has 2 operands"));
  EXPECT_TRUE(has(complaint("mov.u32 %0, %nonsense;"), "uses %nonsense, which no .reg declares"));
  EXPECT_TRUE(has(complaint("@p add.s32 %0, %1, 1;"), "uses p, which no .reg declares"));
  EXPECT_TRUE(has(complaint("bra again; add.s32 %0, %1, 1;"), "to again, which is no label"));
  EXPECT_TRUE(has(complaint("add.s32 %0, %1;"), "unknown_ptx(\"add.s32 with 2 operands\")"));
  const std::string right = complaint(
      "{ .reg .pred p<2>; .reg .b32 t; mov.u32 t, %tid.x; setp.lt.u32 p0|p1, t, 0x1F; "
      "@!p1 mov.b32 {_, %0}, 0f3F800000; ld.global.u32 %0, [%1+-4]; }");
  EXPECT_TRUE(has(right, "simt_reg_p1"));
}

TEST(RewriterPtx, ReadsOperandsWithoutACommaBetweenThem) {
  const std::string text =
      rewritten(R"(asm volatile("st.global.u32 [%1], %0;" ::"r"(value) "l"(place) : "memory");)");
  EXPECT_TRUE(has(text, "simt_ptx0.take<unsigned>(value)"));
  EXPECT_TRUE(has(text, "simt_ptx1.take<unsigned long long>(place)"));
}

TEST(RewriterPtx, KeepsAPredicatedBranch) {
  const std::string text = rewritten(
      R"(asm("{ .reg .pred p; again: setp.ne.u32 p, %0, 0; @!p bra again; }" :: "r"(x));)");
  EXPECT_TRUE(has(text, "__label__ simt_label_simt_reg_again;"));
  EXPECT_TRUE(has(text, "if (!simt_reg_p.get<bool>()) { goto simt_label_simt_reg_again; }"));
}

TEST(RewriterKernelAddress, NotesTheParametersOfACast) {
  const std::string kernel = "__global__ void __launch_bounds__(64) k(int* p) {}\n";
  for (const std::string cast : {"(void*)k", "(const void *)&k", "reinterpret_cast<void*>(k)"}) {
    std::string source = kernel;
    source.append("void* f = ").append(cast).append(";");
    EXPECT_TRUE(has(rewritten(source),
                    "::simt::kernel_address(::simt::LaunchSite{\"k\", __FILE__, __LINE__}, k)"))
        << cast;
  }
  EXPECT_TRUE(
      has(rewritten("template <class T> __global__ void k(T* p) {}\nvoid* f = (void*)k<int>;"),
          "__LINE__}, k<int>)"));
}

TEST(RewriterKernelAddress, LeavesOtherCastsAlone) {
  const std::string kernel = "__global__ void k(int* p) {}\n";
  for (const std::string cast : {"(void*)other", "(char*)k", "(void*)k(1)"}) {
    std::string call = "f(";
    call.append(cast).append(");");
    EXPECT_TRUE(has(rewritten(kernel + call), call)) << cast;
  }
}

}  // namespace
}  // namespace simt::rewriter
