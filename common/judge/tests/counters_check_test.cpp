// SPDX-License-Identifier: MIT
#include "measure/counters_check.h"

#include <gtest/gtest.h>

#include "fixture/host_work.h"

namespace {

// One kernel that read 64 sectors in two lines: 2048 bytes.
wire::KernelCounters sampled_kernel() {
  wire::KernelCounters kernel;
  kernel.name = "kernel";
  kernel.counters = {{"launches", 1},
                     {"busiest_blocks_sectors", 16},
                     {"busiest_warps_passes", 8},
                     {"global_read_sectors", 64},
                     {"shared_read_conflicts", 31}};
  kernel.lines = {{"a.cu", 3, {{"global_read_sectors", 48}}, {}},
                  {"a.cu", 4, {{"global_read_sectors", 16}, {"shared_read_conflicts", 31}}, {}}};
  return kernel;
}

TEST(CountersCheck, SeesThatNoKernelCanHaveReadTheInput) {
  const auto failure = judge::find_work_of_host({sampled_kernel()}, 8192);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, judge::kind::kForbidden);
  EXPECT_NE(failure->message.find("moved 2048 bytes where 8192"), std::string::npos);
  EXPECT_TRUE(judge::find_work_of_host({}, 8));
}

// More kernels and lines than anyone writes by hand: the rest becomes one kernel, and one line.
std::vector<wire::KernelCounters> many(std::size_t num_kernels, std::size_t num_lines) {
  std::vector<wire::KernelCounters> kernels(num_kernels, sampled_kernel());
  kernels[0].lines.resize(num_lines, {"a.cu", 5, {}, {}});
  kernels.back().counters["global_read_sectors"] += 1000;
  kernels.back().lines.back().counters["global_read_sectors"] += 1000;
  kernels.back().counters["global_atomic_max_same_address"] = 9;
  return kernels;
}

TEST(CountersCheck, NothingIsLostAmongManyKernelsAndLines) {
  for (const std::size_t num_kernels : {1, 63, 64, 65, 200}) {
    for (const std::size_t num_lines : {2, 599, 600, 601, 5000}) {
      std::vector<wire::KernelCounters> kernels = many(num_kernels, num_lines);
      wire::Counters before;
      for (const auto& kernel : kernels) wire::add(before, kernel.counters);
      wire::fold(kernels);
      wire::Counters after;
      for (const auto& kernel : kernels) wire::add(after, kernel.counters);
      EXPECT_EQ(after, before);
      EXPECT_LE(kernels.size(), wire::kMaxKernels);
      const double bytes = 32.0 * static_cast<double>(before["global_read_sectors"]);
      EXPECT_FALSE(judge::find_work_of_host(kernels, bytes)) << num_kernels << ", " << num_lines;
    }
  }
}

TEST(CountersCheck, ManyKernelsAndLinesHideNothing) {
  for (const std::size_t num_kernels : {1, 64, 200}) {
    for (const std::size_t num_lines : {2, 600, 5000}) {
      std::vector<wire::KernelCounters> kernels = many(num_kernels, num_lines);
      wire::fold(kernels);
      EXPECT_TRUE(judge::find_work_of_host(kernels, 1e9)) << "work done on the host";
    }
  }
}

// As many kernels as it takes to be merged with others.
TEST(CountersCheck, CopiesAreNoWorkOfKernels) {
  for (const std::size_t num_kernels : {1, 64, 200}) {
    std::vector<wire::KernelCounters> kernels(num_kernels, sampled_kernel());
    kernels.back().name = "cudaMemcpy";
    kernels.back().counters.erase("launches");
    wire::fold(kernels);
    const double most = 2 * 2048.0 * static_cast<double>(num_kernels - 1);
    EXPECT_FALSE(judge::find_work_of_host(kernels, most)) << num_kernels;
    EXPECT_TRUE(judge::find_work_of_host(kernels, most + 2)) << num_kernels;
  }
}

TEST(CountersCheck, DataMustStayOnTheDevice) {
  const auto of_host = [](std::uint64_t bytes) {
    wire::KernelCounters host;
    host.name = "host";
    host.counters["host_bytes"] = bytes;
    host.lines = {{"a.cu", 3, host.counters, {}}};
    return std::vector{sampled_kernel(), host};
  };
  EXPECT_FALSE(judge::find_work_of_host(of_host(256), 1024));
  const auto failure = judge::find_work_of_host(of_host(257), 1024);
  ASSERT_TRUE(failure);
  EXPECT_TRUE(failure->message.starts_with(
      "the result is right, but the data went through the host: 257 bytes"))
      << failure->message;
  EXPECT_TRUE(failure->message.ends_with(". Line 3 of a.cu has the most")) << failure->message;
  EXPECT_EQ(std::pair(failure->file, failure->line), std::pair(std::string("a.cu"), 3));
  EXPECT_FALSE(judge::find_host_work(of_host(512), 1024, 0.5));
  const auto in_a_test = judge::find_host_work(of_host(513), 1024, 0.5);
  ASSERT_TRUE(in_a_test);
  EXPECT_TRUE(in_a_test->message.starts_with("the data went through the host: 513 bytes"));
  EXPECT_NE(in_a_test->message.find("in a call with 1024 bytes of data"), std::string::npos);
  EXPECT_EQ(in_a_test->message.find("__device__"), std::string::npos);
}

TEST(CountersCheck, ResultsAreNoArguments) {
  wire::KernelCounters kernel = sampled_kernel();
  kernel.counters["argument_bytes"] = 512;
  EXPECT_FALSE(judge::find_results_as_arguments({kernel}, 1024));
  kernel.counters["argument_bytes"] = 513;
  EXPECT_TRUE(judge::find_results_as_arguments({kernel}, 1024));
}

TEST(CountersCheck, KernelsDoNotUseTheHostsMemory) {
  wire::KernelCounters kernel = sampled_kernel();
  kernel.counters["launches"] = 1;
  wire::LineCounters& arguments = kernel.lines.emplace_back();
  arguments.counters = {{"argument_bytes", 300}, {"host_bytes", 300}};
  EXPECT_FALSE(judge::find_kernels_at_host_memory({kernel}));
  kernel.lines[0].counters["host_bytes"] = 4;
  const auto failure = judge::find_kernels_at_host_memory({kernel});
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->message.find(kernel.name + " reads or writes 4 bytes of pinned or managed"),
            std::string::npos)
      << failure->message;
  kernel.counters["launches"] = 0;  // a copy
  EXPECT_FALSE(judge::find_kernels_at_host_memory({kernel}));
}

TEST(CountersCheck, CountsAtomicOperationsAsTraffic) {
  wire::KernelCounters kernel = sampled_kernel();
  kernel.counters["global_atomic_lanes"] = 256;
  kernel.lines[0].counters["global_atomic_lanes"] = 256;
  EXPECT_FALSE(judge::find_work_of_host({kernel}, 8192));
}

}  // namespace
