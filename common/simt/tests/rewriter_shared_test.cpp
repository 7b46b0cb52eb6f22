// SPDX-License-Identifier: MIT
// The rewriter on extern __shared__ declarations and cudaLaunchKernel: text in, text out.
#include <gtest/gtest.h>

#include <regex>

#include "rewriter_test.h"

namespace simt::rewriter {
namespace {

// Removed keywords leave blanks behind, which do not matter.
std::string squeezed(std::string_view text) {
  const std::string result = std::regex_replace(rewritten(text), std::regex(" +"), " ");
  return result.substr(0, 1) == " " ? result.substr(1) : result;
}

std::string in_function(const std::string& code) { return squeezed("void f() {" + code + "}"); }

std::string function_with(const std::string& code) { return "void f() {" + code + "}"; }

TEST(SharedRewriter, WorksWithEveryOrderOfSpecifiers) {
  const std::string expected = function_with(" float (&x)[] = ::simt::DynamicShared{};");
  EXPECT_EQ(in_function(" extern __shared__ float x[];"), expected);
  EXPECT_EQ(in_function(" __shared__ extern float x[];"), expected);
  EXPECT_EQ(in_function(" extern float __shared__ x[];"),
            function_with(" float (&x)[] = ::simt::DynamicShared{};"));
  EXPECT_EQ(in_function(" volatile extern __shared__ float x[];"),
            function_with(" volatile float (&x)[] = ::simt::DynamicShared{};"));
}

TEST(SharedRewriter, WorksWithAlignments) {
  const std::string expected = function_with(" char (&x)[] = ::simt::DynamicShared{};");
  EXPECT_EQ(in_function(" extern __shared__ alignas(16) char x[];"), expected);
  EXPECT_EQ(in_function(" alignas(alignof(double)) extern __shared__ char x[];"), expected);
  EXPECT_EQ(in_function(" extern __shared__ __align__(16) char x[];"), expected);
  EXPECT_EQ(in_function(" extern __shared__ char x[] __attribute__((aligned(16)));"),
            function_with(" char (&x)[] = ::simt::DynamicShared{};"));
}

TEST(SharedRewriter, MovesAlignasToTheFrontOfStaticArrays) {
  const std::string moved = function_with(" alignas ( 16 ) __shared__ float x[8];");
  EXPECT_EQ(in_function(" __shared__ alignas(16) float x[8];"), moved);
  EXPECT_EQ(in_function(" static __shared__ alignas(sizeof(int)) int x, y;"),
            function_with(" alignas ( sizeof ( int ) ) static __shared__ int x, y;"));
  EXPECT_EQ(in_function(" alignas(16) __shared__ float x[8];"),
            function_with(" alignas(16) __shared__ float x[8];"));
}

TEST(SharedRewriter, WorksWithAllTypes) {
  EXPECT_EQ(in_function(" extern __shared__ unsigned long long x[];"),
            function_with(" unsigned long long (&x)[] = ::simt::DynamicShared{};"));
  EXPECT_EQ(in_function(" extern __shared__ typename A<T, 3>::type x[][N + 1];"),
            function_with(" typename A<T, 3>::type (&x)[][N + 1] = ::simt::DynamicShared{};"));
  EXPECT_EQ(in_function(" extern std::pair<int, int> __shared__ x[];"),
            function_with(" std::pair<int, int> (&x)[] = ::simt::DynamicShared{};"));
  EXPECT_EQ(in_function(" extern __shared__ int* x[], y[];"),
            function_with(" int* (&x)[] = ::simt::DynamicShared{}, "
                          "(&y)[] = ::simt::DynamicShared{};"));
  EXPECT_EQ(in_function(" extern __shared__ struct S x;"),
            function_with(" struct S (&x) = ::simt::DynamicShared{};"));
}

TEST(SharedRewriter, WorksAtNamespaceScope) {
  EXPECT_EQ(squeezed("extern __shared__ int x[];"), "static int (&x)[] = ::simt::DynamicShared{};");
  EXPECT_EQ(squeezed("void f() {}\nnamespace a::b { namespace {\nextern __shared__ int x[]; } }"),
            "void f() {}\nnamespace a::b { namespace {\nstatic int (&x)[] = "
            "::simt::DynamicShared{}; } }");
  EXPECT_EQ(squeezed("extern \"C\" {extern __shared__ int x[];}"),
            "extern \"C\" {static int (&x)[] = ::simt::DynamicShared{};}");
  EXPECT_EQ(squeezed("namespace a { struct S { void f() {extern __shared__ int x[];} }; }"),
            "namespace a { struct S { void f() { int (&x)[] = ::simt::DynamicShared{};} }; }");
}

TEST(SharedRewriter, WorksInsideMacros) {
  EXPECT_EQ(squeezed("#define SHARED(T, name) extern __shared__ T name[]\n"),
            "#define SHARED(T, name) static T (&name)[] = ::simt::DynamicShared{}\n");
}

TEST(SharedRewriter, LeavesOtherDeclarationsAlone) {
  for (const char* source :
       {"__shared__ float x[32];", "static __shared__ int y;", "extern int z[];",
        "extern int a; __shared__ int b;", "void f() { extern int a; } __shared__ int b;",
        "// extern __shared__ float x[];\n", "#define KEYWORD __shared__\n"}) {
    EXPECT_EQ(rewritten(source), source);
  }
}

TEST(SharedRewriter, NamesTheOffendingPlace) {
  EXPECT_EQ(error_of("\nextern __shared__ float x[] = {1};"),
            "2: cannot read this extern __shared__ declaration");
  EXPECT_EQ(error_of("#define DYNAMIC extern __shared__\n"),
            "1: cannot read this extern __shared__ declaration");
}

TEST(KernelPointerRewriter, WorksWithEveryCast) {
  const std::string expected =
      " ::simt::launch_by_pointer(::simt::LaunchSite{\"k\", __FILE__, __LINE__}, false, k, g, b, "
      "a)";
  EXPECT_EQ(rewritten("cudaLaunchKernel((void*)k, g, b, a)"), expected);
  EXPECT_EQ(rewritten("cudaLaunchKernel((const void *)k, g, b, a)"), expected);
  EXPECT_EQ(rewritten("cudaLaunchKernel((void*)&k, g, b, a)"), expected);
  EXPECT_EQ(rewritten("cudaLaunchKernel(&k, g, b, a)"), expected);
  EXPECT_EQ(rewritten("::cudaLaunchKernel(k, g, b, a)"), expected);
  EXPECT_EQ(rewritten("cudaLaunchKernel(reinterpret_cast<const void*>(&k), g, b, a)"), expected);
}

TEST(KernelPointerRewriter, WorksWithTemplateArgumentsAndCooperativeLaunches) {
  EXPECT_EQ(rewritten("check(cudaLaunchCooperativeKernel((void*)n::k<T, 4>, g, b, a));"),
            "check( ::simt::launch_by_pointer(::simt::LaunchSite{\"n::k<T, 4>\", __FILE__, "
            "__LINE__}, true, n::k<T, 4>, g, b, a));");
}

TEST(KernelPointerRewriter, LeavesOtherUsesOfTheNameAlone) {
  for (const char* source : {"auto f = cudaLaunchKernel;", "cudaLaunchKernelEx(&c, k, 1);"}) {
    EXPECT_EQ(rewritten(source), source);
  }
}

}  // namespace
}  // namespace simt::rewriter
