// SPDX-License-Identifier: MIT
#include "counters_check.h"

#include <gtest/gtest.h>

namespace {

// One kernel that read 64 sectors in two lines: 2048 bytes.
wire::KernelCounters sample() {
  wire::KernelCounters kernel;
  kernel.name = "kernel";
  kernel.counters = {{"launches", 1}, {"global_read_sectors", 64}, {"shared_read_conflicts", 31}};
  kernel.lines = {{"a.cu", 3, {{"global_read_sectors", 48}}, {}},
                  {"a.cu", 4, {{"global_read_sectors", 16}, {"shared_read_conflicts", 31}}, {}}};
  return kernel;
}

TEST(CountersCheck, BelievesWhatAddsUp) { EXPECT_FALSE(judge::find_impossible({sample()}, 2048)); }

TEST(CountersCheck, SeesATotalThatWasMadeSmaller) {
  wire::KernelCounters kernel = sample();
  kernel.counters["shared_read_conflicts"] = 0;
  const auto failure = judge::find_impossible({kernel}, 2048);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, "forbidden");
  EXPECT_NE(failure->message.find("shared_read_conflicts of kernel"), std::string::npos);
}

TEST(CountersCheck, SeesATotalThatWasTakenAway) {
  wire::KernelCounters kernel = sample();
  kernel.counters.erase("shared_read_conflicts");
  EXPECT_TRUE(judge::find_impossible({kernel}, 2048));
}

TEST(CountersCheck, SeesThatNoKernelCanHaveReadTheInput) {
  const auto failure = judge::find_impossible({sample()}, 8192);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, "forbidden");
  EXPECT_NE(failure->message.find("moved 2048 bytes where 8192"), std::string::npos);
  EXPECT_TRUE(judge::find_impossible({}, 8));
}

TEST(CountersCheck, CountsAtomicOperationsAsTraffic) {
  wire::KernelCounters kernel = sample();
  kernel.counters["global_atomic_lanes"] = 256;
  kernel.lines[0].counters["global_atomic_lanes"] = 256;
  EXPECT_FALSE(judge::find_impossible({kernel}, 8192));
}

}  // namespace
