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
  EXPECT_TRUE(has(rewritten(R"(asm volatile("bar.sync 1, 64;");)"), "unknown_ptx"))
      << "only barrier 0 is here";
  EXPECT_TRUE(has(rewritten(R"(asm volatile("prmt.b32.f4e %0, %1, %1, 3;" : "=r"(x) : "r"(y));)"),
                  "unknown_ptx"));
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
