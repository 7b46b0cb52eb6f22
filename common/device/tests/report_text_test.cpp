// SPDX-License-Identifier: MIT
// Sentences that no test of `check` makes.
#include <gtest/gtest.h>

#include "code/names.h"
#include "report/finding.h"
#include "report/memory_text.h"
#include "report/waiting_text.h"
#include "report/words.h"

namespace report {
namespace {

const std::string kThread = "thread 3 of block 0";

TEST(ReportWords, CountAndName) {
  EXPECT_EQ(bytes(1), "1 byte");
  EXPECT_EQ(bytes(4), "4 bytes");
  EXPECT_EQ(blocks(4, "more "), "4 more blocks");
  EXPECT_EQ(thread_ranges({7}), "thread 7");
  EXPECT_EQ(thread_ranges({0, 1, 2, 3, 5}), "threads 0-3, 5");
  EXPECT_EQ(thread_ranges({0, 2, 4, 6, 8, 10}), "threads 0, 2, 4, 6 and 2 more");
  EXPECT_EQ(line_name({"a.cu", 5}, "a.cu"), "line 5");
  EXPECT_EQ(line_name({"a.cuh", 5}, "a.cu"), "line 5 of a.cuh");
  EXPECT_EQ(line_name({}, "a.cu"), "an unknown line");
  EXPECT_EQ(thread_name({{5, 0, 0}, {3, 1, 0}, {8, 1, 1}, {4, 4, 1}}), "thread 5 of block (3,1,0)");
  EXPECT_EQ(index_of(70, {8, 4, 4}), (Index{6, 0, 2}));
}

TEST(ReportWords, NameVariablesAsTheSourceDoes) {
  EXPECT_EQ(code::variable_name("_ZZN3lab4copyEPfE4tile"), "tile");
  EXPECT_EQ(code::variable_name("table__static__1f"), "table");
  EXPECT_EQ(code::variable_name("g"), "g");  // and not __float128, whose code it is
}

TEST(ReportFindings, OneForEachKindAndLine) {
  take_findings();
  report({Kind::kRace, "a.cu", 5, "k", "first"});
  report({Kind::kRace, "a.cu", 5, "k", "second"});
  report({Kind::kCrash, "a.cu", 5, "k", "third"});
  const auto found = take_findings();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].message, "first");
  EXPECT_TRUE(take_findings().empty());
}

TEST(ReportWaiting, GroupsThreadsByWhatTheyWaitFor) {
  std::vector<WaitingThread> threads;
  for (std::uint32_t id = 0; id < 4; ++id) {
    threads.push_back({id, {"a.cu", 12}, WaitsFor::kBlockBarrier, 0, {}});
  }
  threads.push_back({4, {"a.cu", 20}, WaitsFor::kMemory, 0, {}});
  threads.push_back({5, {"a.cu", 21}, WaitsFor::kSyncwarp, 0xff, {}});
  threads.push_back({6, {"a.cu", 22}, WaitsFor::kNamedBarrier, 0, {2, 1, 64}});
  EXPECT_EQ(deadlock_text("block 0", threads, false),
            "deadlock in block 0: threads 0-3 wait at the block's barrier in line 12, thread 4 "
            "polls memory in line 20, thread 5 waits in __syncwarp for the lanes of mask "
            "0x000000ff in line 21, thread 6 waits at barrier 2 (1 of 64 threads are there) in "
            "line 22");
  EXPECT_EQ(progress_text({3, 1, 10, 3, false}),
            "; 2 more blocks are under way; 1 block has ended; 10 blocks have not started, because "
            "the device holds 3 at a time");
  EXPECT_EQ(progress_text({1, 0, 0, 3, false}), "");
}

TEST(ReportWaiting, ALoopThatOnlyReadsMayNotMeanToWait) {
  EXPECT_EQ(
      deadlock_text("block 0", {{1, {"a.cu", 20}, WaitsFor::kMemory, 0, {}}}, false),
      "deadlock in block 0: thread 1 polls memory in line 20; if this loop waits for no other "
      "thread, does it ever end?");
}

TEST(ReportWaiting, DifferentCallsOfOneLine) {
  const std::vector<WaitingThread> threads = {{0, {"a.cu", 12}, WaitsFor::kBlockBarrier, 0, {}},
                                              {1, {"a.cu", 12}, WaitsFor::kBlockBarrier, 0, {}}};
  EXPECT_EQ(mixed_barrier_text("block 0", {"a.cu", 12}, threads),
            "in block 0 threads 0-1 wait at the barrier in line 12, by different calls; all "
            "threads of a block must reach the same __syncthreads(). The result is undefined: a "
            "GPU may go on, or hang");
}

TEST(ReportWaiting, Masks) {
  const Caller caller = {{{3, 0, 0}, {0, 0, 0}, {32, 1, 1}, {1, 1, 1}}, 3, 0xf0};
  EXPECT_EQ(outside_mask_text(caller),
            "thread 3 of block 0, lane 3 of its warp, calls a warp operation with mask 0x000000f0, "
            "which does not include it. The mask is the first argument, and names the lanes that "
            "take part (0xffffffff: all 32)");
}

TEST(ReportMemory, TheHostOnDeviceMemory) {
  const Room room = {"allocation 1", 0x1000, 64, true, {}, {}};
  EXPECT_EQ(host_access_text({0x1004, 4, false, false, {}}, &room),
            "the host reads 4 bytes of allocation 1 itself: on a GPU that is a segmentation fault; "
            "copy it with cudaMemcpy");
}

}  // namespace
}  // namespace report
