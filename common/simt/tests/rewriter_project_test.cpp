// SPDX-License-Identifier: MIT
// The rewriter on files: local headers, names in #line, limits, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "../rewriter/project.h"

namespace simt::rewriter {
namespace {

namespace fs = std::filesystem;

class ProjectTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "simt_rewriter.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(dir_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // The rewritten in.cu, and the table that comes before it.
  std::string output() const {
    const std::string all = read("out/out.cpp");
    return all.substr(all.find('\n') + 1);
  }
  std::string table() const {
    const std::string all = read("out/out.cpp");
    const std::size_t begin = all.find('"', all.find("simt_names[]")) + 1;
    return all.substr(begin, all.find("\";\n") - begin);
  }
  // Rewrites in.cu to out/out.cpp.
  void rewrite(const std::vector<fs::path>& include_dirs = {}) {
    fs::create_directories(dir_ / "out");
    Project(dir_ / "in.cu", include_dirs).write(dir_ / "out/out.cpp");
  }
  std::string error() {
    try {
      rewrite();
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }
  std::string line_directive(const std::string& name) const {
    return "#line 1 \"" + (dir_ / name).string() + "\"\n";
  }
  // The one file next to out.cpp, or nothing.
  std::string other_output() const {
    std::string name;
    for (const auto& entry : fs::directory_iterator(dir_ / "out")) {
      if (entry.path().filename() != "out.cpp") name = "out/" + entry.path().filename().string();
    }
    return name;
  }

  fs::path dir_;
};

TEST_F(ProjectTest, IncludesWhatInlinePtxNeedsWithoutOperandsToo) {
  const std::string include = "#include \"simt/ptx.h\"\n";
  write("in.cu", "void f() { asm volatile(\"bar.sync 1;\"); }\n");
  rewrite();
  EXPECT_TRUE(read("out/out.cpp").starts_with(include));
  write("in.cu", "void f() {}\n");
  rewrite();
  EXPECT_FALSE(read("out/out.cpp").starts_with(include));
}

TEST_F(ProjectTest, WorksWithAnEmptyFile) {
  write("in.cu", "");
  rewrite();
  EXPECT_EQ(output(), line_directive("in.cu"));
}

TEST_F(ProjectTest, ListsTheDevicesVariablesAndTheClasses) {
  write("header.cuh", "#pragma once\n__device__ float4 in_header;\n");
  write("in.cu",
        "#include \"header.cuh\"\n"
        "__device__ int count = 0, *pointer, table[2][3];\n"
        "static __constant__ float weights[25];\n"
        "namespace n { __managed__ __align__(16) std::pair<int, float> pair{1, 2}; }\n"
        "float of_host[3];\n"
        "__device__ int (*function)(int);\n"
        "struct alignas(8) Pair\n"
        "{ float a, b; };\n"
        "template <class T> __global__ void kernel(T* p) { static int calls; int local; }\n"
        "void host() { static int of_host_too; auto f = [] __device__ (int i) { return i; }; }\n");
  rewrite();
  EXPECT_EQ(table(),
            ":calls;:count;:function;:in_header;:kernel;:pointer;:table;=weights;@in.cu:7;~pair;");
}

TEST_F(ProjectTest, DropsAByteOrderMark) {
  write("in.cu", "\xEF\xBB\xBFint x;\n");
  rewrite();
  EXPECT_EQ(output(), line_directive("in.cu") + "int x;\n");
}

TEST_F(ProjectTest, PointsPlainHeadersToTheirOldPlace) {
  write("in.cu", "#include \"plain.h\"\n#include <vector>\n#include \"absent.h\"\n");
  write("plain.h", "int x;\n");
  rewrite();
  EXPECT_EQ(output(), line_directive("in.cu") + "#include \"" + (dir_ / "plain.h").string() +
                          "\"\n#include <vector>\n#include \"absent.h\"\n");
}

TEST_F(ProjectTest, RewritesHeadersWithLaunches) {
  write("in.cu", "#include \"kernels/run.cuh\"\nint main() {}\n");
  write("kernels/run.cuh", "#pragma once\nextern __shared__ int x[];\n");
  rewrite();
  const std::string header = other_output();
  ASSERT_NE(header, "");
  EXPECT_NE(read(header).find("DynamicShared"), std::string::npos);
  EXPECT_EQ(read(header).substr(0, 6), "#line ");
  EXPECT_EQ(output(), line_directive("in.cu") + "#include \"" +
                          fs::path(header).filename().string() + "\"\nint main() {}\n");
  EXPECT_EQ(read("kernels/run.cuh"), "#pragma once\nextern __shared__ int x[];\n");
}

TEST_F(ProjectTest, FollowsHeadersThroughHeadersAndCycles) {
  write("in.cu", "#include \"a.h\"\n");
  write("a.h", "#pragma once\n#include \"b.h\"\n#include \"in.cu\"\n");
  write("b.h", "#pragma once\n#include \"a.h\"\ninline void f() { k<<<1, 1>>>(); }\n");
  rewrite();
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_ / "out"), fs::directory_iterator()), 3);
}

TEST_F(ProjectTest, FindsHeadersInBracketsInIncludeFoldersAlone) {
  write("in.cu", "#include <run.cuh>\n#include <beside.cuh>\n");
  write("include/run.cuh", "void f() { k<<<1, 1>>>(); }\n");
  write("beside.cuh", "void g() { k<<<1, 1>>>(); }\n");
  rewrite({dir_ / "include"});
  EXPECT_EQ(output(), line_directive("in.cu") + "#include \"" +
                          fs::path(other_output()).filename().string() +
                          "\"\n#include <beside.cuh>\n");
}

TEST_F(ProjectTest, RefusesLibrariesThatTheEmulatorLacksWhereTheyAreIncluded) {
  write("in.cu", "int x;\n#include <cublas_v2.h>\n#include \"gemm.h\"\n");
  write("gemm.h",
        "#ifdef GEMM\n#  include \"thrust/sort.h\"\n#endif\n#include <cudnn_of_ours.h>\n");
  write("include/cudnn_of_ours.h", "int y;\n");
  rewrite({dir_ / "include"});
  EXPECT_EQ(output().find("int x;\n#error cuBLAS is not part of the emulator: "),
            line_directive("in.cu").size());
  const std::string header = read(other_output());
  EXPECT_NE(header.find("#ifdef GEMM\n#error Thrust comes with"), std::string::npos);
  EXPECT_NE(header.find("#endif\n#include <cudnn_of_ours.h>\n"), std::string::npos);
}

// NVIDIA's headers are to see a plain compiler, and libcu++'s, too, where Thrust shares them.
TEST_F(ProjectTest, WrapsHeadersOfThrustThatAreThere) {
  write("in.cu", "#include <cuda/std/array>\n#include \"uses.h\"\n#include <cub/cub.cuh>\n");
  write("own/cub/cub.cuh", "");
  write("uses.h", "#include <thrust/sort.h>\n#include <thrust/lost.h>\n");
  for (const char* const header :
       {"cuda/std/array", "thrust/sort.h", "thrust/version.h", "cub/cub.cuh"}) {
    write(std::string("library/") + header, "");
  }
  fs::create_directories(dir_ / "out");
  const fs::path out = dir_ / "out" / "made.cpp";
  Project(dir_ / "in.cu", {}, {dir_ / "own", dir_ / "library"}).write(out);
  const std::string text = read("out/made.cpp");
  EXPECT_NE(text.find("#include \"made.cpp.cccl.cuda.std.array\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("#include <cub/cub.cuh>\n"), std::string::npos) << text;
  const std::string wrapper = read("out/made.cpp.cccl.thrust.sort.h");
  EXPECT_NE(wrapper.find("cccl_begin.inc\"\n#include <thrust/sort.h>\n"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(dir_ / "out")) {
    if (entry.path().string().find("uses.h") == std::string::npos) continue;
    EXPECT_NE(read(entry.path()).find("#include <thrust/lost.h>"), std::string::npos);
  }
}

TEST_F(ProjectTest, RefusesWhatNvidiasCubAloneHas) {
  write("in.cu", "#include <cub/device/device_histogram.cuh>\n");
  for (const char* const header : {"thrust/version.h", "cub/device/device_histogram.cuh"}) {
    write(std::string("library/") + header, "");
  }
  fs::create_directories(dir_ / "out");
  Project(dir_ / "in.cu", {}, {dir_ / "library"}).write(dir_ / "out" / "made.cpp");
  EXPECT_NE(read("out/made.cpp").find("#error this header of CUB is not part"), std::string::npos);
}

// Without Thrust, the emulator's own headers of libcu++ serve.
TEST_F(ProjectTest, WrapsNothingOfLibcuxxWithoutThrust) {
  write("in.cu", "#include <cuda/std/array>\n");
  write("library/cuda/std/array", "");
  fs::create_directories(dir_ / "out");
  Project(dir_ / "in.cu", {}, {dir_ / "library"}).write(dir_ / "out" / "made.cpp");
  EXPECT_NE(read("out/made.cpp").find("#include <cuda/std/array>\n"), std::string::npos);
}

TEST_F(ProjectTest, FindsHeadersInIncludeFolders) {
  write("in.cu", "#include \"lab/run.cuh\"\n#include \"lab/plain.cuh\"\n");
  write("include/lab/run.cuh", "void f() { k<<<1, 1>>>(); }\n");
  write("include/lab/plain.cuh", "int x;\n");
  rewrite({dir_ / "include"});
  EXPECT_NE(other_output(), "");
  // What is found through -I is found again by the compiler.
  EXPECT_NE(output().find("#include \"lab/plain.cuh\"\n"), std::string::npos);
}

TEST_F(ProjectTest, NamesFileAndLineOfErrors) {
  write("in.cu", "int x;\nk<<<1;\n");
  EXPECT_EQ(error(), (dir_ / "in.cu").string() + ":2: error: <<< without its >>>(arguments)");
  write("in.cu", "#include \"bad.h\"\n");
  write("bad.h", "\n\n/*");
  EXPECT_EQ(error(), (dir_ / "bad.h").string() + ":3: error: comment without its end");
}

TEST_F(ProjectTest, RefusesWhatIsNoSourceFile) {
  EXPECT_EQ(error(), (dir_ / "in.cu").string() + ": error: cannot be read");
  write("in.cu", std::string(kMaxSourceBytes + 1, '\n'));
  EXPECT_EQ(error(),
            (dir_ / "in.cu").string() + ": error: larger than 4 MiB, too large for a source file");
  fs::remove(dir_ / "in.cu");
  fs::create_directory(dir_ / "in.cu");
  EXPECT_EQ(error(), (dir_ / "in.cu").string() + ": error: is a directory");
}

// Files made to take long: each of them would, if anything were quadratic in the file's length.
// Four times the length then takes 16 times the time. Processor time, the least of three: others
// may be at work here, too.
TEST_F(ProjectTest, TakesTimeInProportionToTheLength) {
  constexpr std::size_t kLong = std::size_t{1} << 17;
  constexpr double kMuchMoreThanLinear = 10;
  struct Shape {
    std::string before, piece, after;
  };
  const auto text_of = [](const Shape& shape, std::size_t size) {
    std::string text = shape.before;
    while (text.size() + shape.piece.size() < size) text += shape.piece;
    text += shape.after;
    return text;
  };
  const auto clocks = [&](const std::string& text) {
    write("in.cu", text);
    std::clock_t least = std::numeric_limits<std::clock_t>::max();
    for (int round = 0; round < 3; ++round) {
      const std::clock_t start = std::clock();
      rewrite();
      least = std::min(least, std::clock() - start);
    }
    EXPECT_GT(fs::file_size(dir_ / "out/out.cpp"), text.size());
    return static_cast<double>(least);
  };
  for (const Shape& shape :
       {Shape{"", "k<<<1, 2>>>(a); x = a < b && c > d; // <<<\n", ""},
        Shape{"", "extern __shared__ int x[];\n", ""}, Shape{"", "__shared__ ", ""},
        Shape{"", "{", ""}, Shape{"k<<<1, 1>>>(", "a<", ")"}, Shape{"", "#if 1\n", ""},
        Shape{"", "f(", ""}, Shape{"", "> ", ""}, Shape{"", "a::", ""},
        Shape{"", "__device__ f() { static int ", ""}, Shape{"", "struct [", ""}}) {
    const double of_quarter = clocks(text_of(shape, kLong / 4));
    const double of_whole = clocks(text_of(shape, kLong));
    EXPECT_LT(of_whole / of_quarter, kMuchMoreThanLinear) << shape.piece;
  }
}

TEST_F(ProjectTest, SaysWhetherThreadsMayWaitForMemory) {
  const auto polls = [this](const std::string& text) {
    write("in.cu", text);
    fs::remove(dir_ / "out/out.cpp.polls");
    rewrite();
    return fs::exists(dir_ / "out/out.cpp.polls");
  };
  EXPECT_FALSE(polls("int x; // volatile\nvoid f() { asm volatile(\"membar.gl;\"); }\n"));
  EXPECT_FALSE(polls("void f(int* x) { atomicAdd(x, 1); __syncthreads(); }\n"));
  EXPECT_TRUE(polls("void f(volatile int* x) { while (*x == 0) {} }\n"));
  EXPECT_TRUE(polls("#define READ(p) (*(volatile int*)(p))\n"));
  EXPECT_TRUE(polls("#include <atomic>\n"));
  EXPECT_TRUE(polls("void f(int* x) { while (__atomic_load_n(x, 0) == 0) {} }\n"));
  EXPECT_TRUE(
      polls("void f(int* p, int v) {\n"
            "  asm volatile(\"ld.volatile.global.s32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));\n"
            "}\n"));
  write("wait.h", "inline void wait(volatile int* x) { while (*x == 0) {} }\n");
  EXPECT_TRUE(polls("#include \"wait.h\"\n"));
}

}  // namespace
}  // namespace simt::rewriter
