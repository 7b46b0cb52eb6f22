// SPDX-License-Identifier: MIT
// The rewriter on kernel launches: text in, text out.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "rewriter_test.h"

namespace simt::rewriter {
namespace {

TEST(LaunchRewriter, WorksWithTwoToFourConfigurationArguments) {
  EXPECT_EQ(rewritten("k<<<1, 2>>>(a, b);"), launch("k", "1, 2", "a, b") + ";");
  EXPECT_EQ(rewritten("k<<<g, b, n * sizeof(float)>>>(a);"),
            launch("k", "g, b, n * sizeof(float)", "a") + ";");
  EXPECT_EQ(rewritten("k<<<g,b,0,s>>>();"), launch("k", "g,b,0,s", "") + ";");
}

TEST(LaunchRewriter, WorksWithBlanksThatAnEditorPutBetween) {
  EXPECT_EQ(
      rewritten("k << <g, b >> > (a);"),
      " ::simt::launch(::simt::LaunchSite{\"k\", __FILE__, __LINE__},  ::simt::LaunchConfig(g, b ) "
      ", [&](auto... simt_args) {k(simt_args...);}, a);");
  EXPECT_EQ(rewritten("x = y << z; stream << f<A<B<int>> >(1);"),
            "x = y << z; stream << f<A<B<int>> >(1);");
}

TEST(LaunchRewriter, WorksWithTemplateArguments) {
  EXPECT_EQ(rewritten("k<256><<<g, b>>>(a)"), launch("k<256>", "g, b", "a"));
  EXPECT_EQ(rewritten("k<T, (N > 1)><<<g, b>>>(a)"), launch("k<T, (N>1)>", "g, b", "a"));
  EXPECT_EQ(rewritten("k<A<B<int>>><<<g, b>>>(a)"), launch("k<A<B<int>>>", "g, b", "a"));
  EXPECT_EQ(rewritten("k<><<<g, b>>>(a)"), launch("k<>", "g, b", "a"));
  EXPECT_EQ(rewritten("k<unsigned int, sizeof(T)><<<g, b>>>(a)"),
            launch("k<unsigned int, sizeof(T)>", "g, b", "a"));
  EXPECT_EQ(rewritten("k<n >= 64 ? 128 : 32><<<g, b>>>(a)"),
            launch("k<n>=64?128:32>", "g, b", "a"));
  EXPECT_EQ(rewritten("k<1 << 7><<<g, b>>>(a)"), launch("k<1<<7>", "g, b", "a"));
  EXPECT_EQ(rewritten("k<A<(n <= 4)>, n <= 4><<<g, b>>>(a)"),
            launch("k<A<(n<=4)>, n<=4>", "g, b", "a"));
}

TEST(LaunchRewriter, WorksWithQualifiedNames) {
  EXPECT_EQ(rewritten("ns::k<<<g, b>>>(a)"), launch("ns::k", "g, b", "a"));
  EXPECT_EQ(rewritten("else ::ns::k<1><<<g, b>>>(a)"), "else " + launch("::ns::k<1>", "g, b", "a"));
  EXPECT_EQ(rewritten("S<T>::k<<<g, b>>>(a)"), launch("S<T>::k", "g, b", "a"));
  EXPECT_EQ(rewritten("S<T>::template k<4><<<g, b>>>(a)"),
            launch("S<T>::template k<4>", "g, b", "a"));
}

TEST(LaunchRewriter, WorksWithExpressionsForKernels) {
  EXPECT_EQ(rewritten("(*fp)<<<g, b>>>(a)"), launch("(*fp)", "g, b", "a"));
  EXPECT_EQ(rewritten("if (x) (*fp)<<<g, b>>>(a)"), "if (x) " + launch("(*fp)", "g, b", "a"));
  EXPECT_EQ(rewritten("while (x) (fp)<<<g, b>>>(a)"), "while (x) " + launch("(fp)", "g, b", "a"));
  EXPECT_EQ(rewritten("kernels[i + 1]<<<g, b>>>(a)"), launch("kernels[i+1]", "g, b", "a"));
  EXPECT_EQ(rewritten("this->table[i].kernel<<<g, b>>>(a)"),
            launch("this->table[i].kernel", "g, b", "a"));
  EXPECT_EQ(rewritten("object.template run<T><<<g, b>>>(a)"),
            launch("object.template run<T>", "g, b", "a"));
  EXPECT_EQ(rewritten("pick(1, 2)<<<g, b>>>(a)"), launch("pick(1, 2)", "g, b", "a"));
}

TEST(LaunchRewriter, StopsAtKeywordsAndOperatorsBeforeTheKernel) {
  EXPECT_EQ(rewritten("return k<<<g, b>>>(a);"), "return " + launch("k", "g, b", "a") + ";");
  EXPECT_EQ(rewritten("if (x) k<<<g, b>>>(a);"), "if (x) " + launch("k", "g, b", "a") + ";");
  EXPECT_EQ(rewritten("x ? k<<<g, b>>>(a) : (void)0"),
            "x ? " + launch("k", "g, b", "a") + " : (void)0");
  EXPECT_EQ(rewritten("label: k<<<g, b>>>(a)"), "label: " + launch("k", "g, b", "a"));
  EXPECT_EQ(rewritten("[&] { k<<<g, b>>>(a); }()"), "[&] { " + launch("k", "g, b", "a") + "; }()");
}

TEST(LaunchRewriter, FindsTheEndOfTheConfiguration) {
  EXPECT_EQ(rewritten("k<<<dim3(f<g<h<int>>>(1)), b>>>(a)"),
            launch("k", "dim3(f<g<h<int>>>(1)), b", "a"));
  EXPECT_EQ(rewritten("k<<<A<B<C<int>>>::v, b>>>(a)"), launch("k", "A<B<C<int>>>::v, b", "a"));
  EXPECT_EQ(rewritten("k<<<1, Size<int>>>>(a)"), launch("k", "1, Size<int>", "a"));
  EXPECT_EQ(rewritten("k<<<{1, 2}, x > y ? x : y>>>(a)"),
            launch("k", "{1, 2}, x > y ? x : y", "a"));
  EXPECT_EQ(rewritten("k<<<n >> 5, 1 << 5>>>(a)"), launch("k", "n >> 5, 1 << 5", "a"));
  EXPECT_EQ(rewritten("k<<<p->grid, p->block>>>(a)"), launch("k", "p->grid, p->block", "a"));
}

TEST(LaunchRewriter, WorksWithArgumentsThatTemplatesCannotDeduce) {
  EXPECT_EQ(rewritten("k<<<g, b>>>(NULL, x)"), launch("k", "g, b", "nullptr, x"));
  const std::string number = "k(::simt::number(simt_args)...)";
  EXPECT_EQ(
      rewritten("k<<<g, b>>>(0, x)"),
      " ::simt::launch(::simt::LaunchSite{\"k\", __FILE__, __LINE__}, ::simt::LaunchConfig(g, b), "
      "[&](auto... simt_args) {if constexpr (requires {" +
          number + ";}) " + number + "; else k(simt_args...);}, ::simt::LiteralZero{}, x)");
  EXPECT_EQ(rewritten("k<<<g, 0>>>(x + 0)"), launch("k", "g, 0", "x + 0"));
  EXPECT_EQ(rewritten("k<<<g, b>>>(f(NULL), NULL)"), launch("k", "g, b", "f(NULL), nullptr"));
  EXPECT_EQ(rewritten("k<<<g, b>>>(f<a, b>(x), {1, 2})"),
            launch("k", "g, b", "f<a, b>(x), ::simt::KernelParameter<decltype(k), 1>{1, 2}"));
  EXPECT_EQ(
      rewritten("k<<<g, b>>>(a << 2, f<a >= 2, b>(x), {1})"),
      launch("k", "g, b", "a << 2, f<a >= 2, b>(x), ::simt::KernelParameter<decltype(k), 2>{1}"));
  EXPECT_EQ(rewritten("k<<<g, b>>>(S{1, 2}, [=](int x) { return x; })"),
            launch("k", "g, b", "S{1, 2}, [=](int x) { return x; }"));
  EXPECT_EQ(rewritten("k<<<g, b>>>(args...)"), launch("k", "g, b", "args..."));
}

TEST(LaunchRewriter, WorksInsideMacros) {
  EXPECT_EQ(rewritten("#define RUN k<<<g, b>>>(a)"), "#define RUN " + launch("k", "g, b", "a"));
  EXPECT_EQ(rewritten("#define RUN(kernel, n) kernel<<<n, 1>>>(n)"),
            "#define RUN(kernel, n) " + launch("kernel", "n, 1", "n", "#kernel"));
  EXPECT_EQ(rewritten("#define RUN(name, T) name##_kernel<T><<<1, 1>>>()"),
            "#define RUN(name, T) " +
                launch("name##_kernel<T>", "1, 1", "", "#name \"_kernel<\" #T \">\""));
  const std::string variadic = rewritten("#define RUN(...) k<<<1, 1>>>(__VA_ARGS__)");
  EXPECT_NE(variadic.find("__VA_OPT__(,) __VA_ARGS__)"), std::string::npos) << variadic;
  EXPECT_EQ(rewritten("TIME(k<<<g, b>>>(a))"), "TIME(" + launch("k", "g, b", "a") + ")");
}

TEST(LaunchRewriter, KeepsEveryLineInItsPlace) {
  const std::string source =
      "f();\n"
      "k<int,  // a comment\n"
      "  4>\n"
      "  <<<1,\n"
      "     2>>>\n"
      "  (a,\n"
      "   b);\n"
      "last();\n"
      "#define RUN(n) \\\n"
      "  k<n,         \\\n"
      "    2><<<1,    \\\n"
      "         2>>>(n)\n"
      "end();\n";
  const std::string result = rewritten(source);
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'),
            std::count(source.begin(), source.end(), '\n'));
  EXPECT_EQ(line_of(result, "b);"), 7);
  EXPECT_EQ(line_of(result, "last();"), 8);
  EXPECT_EQ(line_of(result, "end();"), 13);
  // Every line of the macro but its last still ends in a continuation.
  EXPECT_EQ(std::count(result.begin(), result.end(), '\\'), 3);
}

TEST(LaunchRewriter, LeavesEverythingElseAlone) {
  for (const char* source : {
           "std::cout << 1 << 2; x = a >>= 3; vector<vector<vector<int>>> v;",
           "template <> ostream& operator<<<int>(ostream&, int);",
           "// k<<<1, 2>>>(a)\n/* k<<<1, 2>>>(a) */",
           "// continued \\\nk<<<1, 2>>>(a)\n",
           "auto s = \"k<<<1, 2>>>(a)\"; auto c = '\"'; auto t = \"\\\"k<<<1, 2>>>(a)\";",
           "auto r = R\"(k<<<1, 2>>>(a))\"; auto q = u8R\"x()\" k<<<1,2>>>(a) )x\";",
           "auto n = 1'000'000 + 0x1'0p-3 + 'a' + L'\\'' + u'<';",
           "#if 0\nit's <<< dead\n#if 1\nstill <<<\n#endif\n#endif\nint live;",
           "#error it's \"so\n#pragma message isn't\n",
           "#include <<<weird>>>\n",
           "",
           "\n\n\n",
           "\xff\xfe not UTF-8 \x80\n",
       }) {
    EXPECT_EQ(rewritten(source), source);
  }
}

TEST(LaunchRewriter, WorksInElseGroupsOfDeadCode) {
  EXPECT_EQ(rewritten("#if 0\nk<<<\n#else\nk<<<g, b>>>(a)\n#endif\n"),
            "#if 0\nk<<<\n#else\n" + launch("k", "g, b", "a") + "\n#endif\n");
}

TEST(LaunchRewriter, WorksWithWindowsLineEnds) {
  EXPECT_EQ(
      rewritten("k<<<g, b>>>(a);\r\n#define R \\\r\n k<<<g, b>>>(a)\r\n"),
      launch("k", "g, b", "a") + ";\r\n#define R \\\r\n " + launch("k", "g, b", "a") + "\r\n");
}

TEST(LaunchRewriter, NamesTheOffendingPlace) {
  EXPECT_EQ(error_of("f();\nk<<<1, 2;\n"), "2: <<< without its >>>(arguments)");
  EXPECT_EQ(error_of("k<<<1, 2>>>;"), "1: <<< without its >>>(arguments)");
  EXPECT_EQ(error_of("k<<<1, 2"), "1: <<< without its >>>(arguments)");
  EXPECT_EQ(error_of("k<<<1, 2>>>(a"), "1: kernel launch whose arguments have no )");
  EXPECT_EQ(error_of("\n\n= <<<1, 2>>>(a);"), "3: <<< without a kernel before it");
  EXPECT_EQ(error_of("#define RUN <<<1, 2>>>"), "1: <<< without a kernel before it");
  EXPECT_EQ(error_of("<<<<<<< HEAD\n"), "1: stray <<<< (a merge conflict?)");
  EXPECT_EQ(error_of("f();\nauto s = \"no end;\n"), "2: string without its closing quote");
  EXPECT_EQ(error_of("\nauto s = R\"x(no end)\";"), "2: raw string without its end");
  EXPECT_EQ(error_of("/* no end"), "1: comment without its end");
}

TEST(LaunchBoundsRewriter, PutsACheckBeforeTheBody) {
  EXPECT_EQ(rewritten("__global__ void __launch_bounds__(256) k(int n) { f(); }"),
            "__global__ void __launch_bounds__(256) k(int n) {::simt::check_launch_bounds(256); "
            "f(); }");
  EXPECT_EQ(rewritten("template <int n>\n__global__ __launch_bounds__(max<n, 32>(), 2)\n"
                      "void k(S s = {1}, int (*f)())\n{}"),
            "template <int n>\n__global__ __launch_bounds__(max<n, 32>(), 2)\n"
            "void k(S s = {1}, int (*f)())\n{::simt::check_launch_bounds(max<n, 32>(), 2);}");
}

TEST(LaunchBoundsRewriter, LeavesDeclarationsAlone) {
  for (const char* const text : {"__global__ void __launch_bounds__(256) k(int); void f() {}",
                                 "#define BOUNDS __launch_bounds__(256)\n", "__launch_bounds__",
                                 "__launch_bounds__() void k() {}", "__launch_bounds__(256"}) {
    EXPECT_EQ(rewritten(text), text);
  }
}

TEST(KeywordRewriter, MakesNoinlineAnAttribute) {
  EXPECT_EQ(rewritten("__device__ __noinline__ int f();"),
            "__device__ __attribute__((noinline)) int f();");
  EXPECT_EQ(rewritten("#define DEVICE __noinline__ __device__\n"),
            "#define DEVICE __attribute__((noinline)) __device__\n");
}

TEST(KeywordRewriter, TakesTheLinkageOfCFromKernels) {
  EXPECT_EQ(rewritten("extern \"C\" __global__ void k();"), "  __global__ void k();");
  for (const std::string text :
       {"extern \"C\" int f();", "extern \"C\" __device__ int x;",
        "extern \"C\" __device__ int f();", "extern \"C\" { __global__ void k(); }"}) {
    EXPECT_EQ(rewritten(text), text);
  }
}

// Found by fuzzing: the edit of the keyword lies inside that of the call.
TEST(KeywordRewriter, MovesNoLineInACallThatIsNoCuda) {
  const std::string text = "int a;\ncudaLaunchKernel(k __noinline__ d, 1);\nint b;\n";
  const std::string result = rewritten(text);
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), 3);
  EXPECT_EQ(line_of(result, "int b;"), 3);
}

TEST(KeywordRewriter, LeavesAnAttributeAlone) {
  for (const char* const text :
       {"__attribute__((__noinline__, __cold__)) int f();",
        "__attribute__((__cold__, __noinline__)) int f();", "[[__gnu__::__noinline__]] int f();"}) {
    EXPECT_EQ(rewritten(text), text);
  }
}

}  // namespace
}  // namespace simt::rewriter
