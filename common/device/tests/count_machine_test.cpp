// SPDX-License-Identifier: MIT
// Counters of PTX that the machine runs: branches, and that `run` announces what is counted.
#include "run_test.h"

namespace count_machine_test {
namespace {

using count::Counter;

class CountMachine : public run_test::Run {
 protected:
  count::CounterSet counted(const std::string& body, unsigned num_blocks = 1,
                            unsigned num_threads = 32, std::uint32_t n = 0,
                            const std::string& before = "") {
    load(run_test::kernel(body, before));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    return launch_counted(num_blocks, num_threads, n);
  }
  std::uint64_t branches(const std::string& body, std::uint32_t n = 0) {
    return counted(body, 1, 32, n)[Counter::kDivergentBranches];
  }
};

const std::string kOdd = "and.b32 %b, %t, 1;\nsetp.eq.u32 %x, %b, 0;\n";

TEST_F(CountMachine, AStoreOfEachThread) {
  const count::CounterSet counters = counted("mov.u32 %a, %t;\n" + run_test::kStore, 2, 64);
  EXPECT_EQ(counters[Counter::kGlobalWriteRequests], 4U);
  EXPECT_EQ(counters[Counter::kGlobalWriteSectors], 16U);
  EXPECT_EQ(counters[Counter::kActiveLanes] / counters[Counter::kBasicBlocks], 32U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 1U);
}

// Else a rung could read through textures what nothing counts.
TEST_F(CountMachine, ATextureReadIsAGlobalRead) {
  run::Image image;
  image.about.width = 1024;
  image.base = memory::allocate(4096, memory::Allocation::Kind::kDevice, {});
  image.is_linear_memory = true;
  const auto number = static_cast<std::uint32_t>(images_.add(image));
  const count::CounterSet counters = counted(
      "cvt.u64.u32 %q, %n;\ntex.1d.v4.s32.s32 {%a, %b, %c, %d}, [%q, {%t}];\n", 1, 64, number);
  EXPECT_EQ(counters[Counter::kGlobalReadRequests], 2U);
  EXPECT_EQ(counters[Counter::kGlobalReadSectors], 8U);
}

// ---- branches

TEST_F(CountMachine, ABranchAroundAStoreDiverges) {
  EXPECT_EQ(branches(kOdd + "@%x bra SKIP;\n" + run_test::kStore + "SKIP:\n"), 1U);
}

TEST_F(CountMachine, AShortIfWithoutMemoryDoesNot) {
  EXPECT_EQ(branches(kOdd + "@%x bra SKIP;\nadd.u32 %a, %t, 1;\nSKIP:\n" + run_test::kStore), 0U);
}

TEST_F(CountMachine, ShortSidesThatMeetDoNot) {
  EXPECT_EQ(branches(kOdd +
                     "@%x bra OTHER;\nadd.u32 %a, %t, 1;\nbra MEET;\n"
                     "OTHER:\nadd.u32 %a, %t, 2;\nMEET:\n" +
                     run_test::kStore),
            0U);
}

TEST_F(CountMachine, LongSidesDiverge) {
  std::string side;
  for (int i = 0; i < 8; ++i) side += "add.u32 %a, %t, 1;\n";
  EXPECT_EQ(branches(kOdd + "@%x bra SKIP;\n" + side + "SKIP:\n" + run_test::kStore), 1U);
}

TEST_F(CountMachine, LanesThatLeaveALoopEarlierDiverge) {
  const std::string loop =
      "mov.u32 %a, 0;\nLOOP:\nadd.u32 %a, %a, 1;\nsetp.lt.u32 %x, %a, %n;\n"
      "setp.lt.and.u32 %x, %a, %t, %x;\n@%x bra LOOP;\n";
  EXPECT_EQ(branches(loop, 4), 3U) << "lanes 0 and 1, lane 2, lane 3 leave before the others";
}

TEST_F(CountMachine, BranchesOfWholeWarpsDoNot) {
  EXPECT_EQ(branches("setp.eq.u32 %x, %n, 0;\n@%x bra SKIP;\n" + run_test::kStore + "SKIP:\n"), 0U);
}

TEST_F(CountMachine, ASwitchDivergesOnce) {
  const std::string body =
      "and.b32 %b, %t, 3;\n"
      "WAYS: .branchtargets ONE, TWO, THREE, FOUR;\nbrx.idx %b, WAYS;\n"
      "ONE:\nst.global.u32 [%out], %t;\nTWO:\nst.global.u32 [%out], %t;\n"
      "THREE:\nst.global.u32 [%out], %t;\nFOUR:\n";
  EXPECT_EQ(branches(body), 1U);
}

// ---- what `run` announces

TEST_F(CountMachine, AsynchronousCopies) {
  const std::string tile = ".shared .align 16 .b8 tile[1024];\n";
  const std::string copy = "cp.async.cg.shared.global [%a], [%p], 16;\ncp.async.commit_group;\n";
  const std::string address =
      "mov.u32 %a, tile;\nshl.b32 %b, %t, 4;\nadd.u32 %a, %a, %b;\n"
      "mul.wide.u32 %p, %t, 16;\nadd.s64 %p, %out, %p;\n";
  const count::CounterSet ahead = counted(
      address + copy + copy + "cp.async.wait_group 1;\ncp.async.wait_group 0;\n", 1, 32, 0, tile);
  EXPECT_EQ(ahead[Counter::kCopiesToShared], 64U);
  EXPECT_EQ(ahead[Counter::kCopiesOutlastingWaits], 32U);
  EXPECT_EQ(ahead[Counter::kGlobalReadSectors], 32U);
  EXPECT_EQ(ahead[Counter::kSharedWriteWavefronts], 8U);
  EXPECT_EQ(ahead[Counter::kPollsMaxPerWarp], 0U);
  const count::CounterSet at_once =
      counted(address + "cp.async.cg.shared.global [%a], [%p], 16;\ncp.async.wait_all;\n" + copy +
                  "cp.async.wait_all;\n",
              1, 32, 0, tile);
  EXPECT_EQ(at_once[Counter::kCopiesToShared], 64U);
  EXPECT_EQ(at_once[Counter::kCopiesOutlastingWaits], 0U);
}

TEST_F(CountMachine, BarriersOfAllKinds) {
  EXPECT_EQ(counted("bar.sync 0;\nbar.sync 0;\n", 3, 64)[Counter::kBarriers], 6U);
  EXPECT_EQ(counted("bar.sync 0;\nbar.sync 0;\n", 3, 64)[Counter::kBarriersMaxPerBlock], 2U);
  EXPECT_EQ(counted("setp.lt.u32 %x, %t, 64;\n@%x bar.sync 1, 64;\n", 1, 96)[Counter::kBarriers],
            1U);
}

TEST_F(CountMachine, ABarrierObject) {
  const std::string object = ".shared .align 8 .b64 object;\n";
  const std::string body =
      "mov.u32 %a, object;\nsetp.eq.u32 %x, %t, 0;\n@%x mbarrier.init.shared.b64 [%a], %n;\n"
      "bar.sync 0;\nmbarrier.arrive.shared.b64 %q, [%a];\n"
      "WAIT:\nmbarrier.test_wait.shared.b64 %y, [%a], %q;\n@!%y bra WAIT;\n";
  const count::CounterSet of_block = counted(body, 1, 64, 64, object);
  EXPECT_EQ(of_block[Counter::kBarriers], 2U);
  EXPECT_EQ(of_block[Counter::kSharedAtomicLanes], 0U);
  EXPECT_EQ(of_block[Counter::kSharedReadRequests], 0U);
  const count::CounterSet of_warp = counted(body, 1, 32, 16, object);
  EXPECT_EQ(of_warp[Counter::kBarriers], 1U);
  EXPECT_EQ(of_warp[Counter::kSharedAtomicLanes], 32U);
}

TEST_F(CountMachine, WarpOperations) {
  const count::CounterSet counters = counted(
      "shfl.sync.down.b32 %a, %t, 1, 31, -1;\nbar.warp.sync -1;\n"
      "vote.sync.ballot.b32 %b, %x, -1;\nactivemask.b32 %c;\n",
      1, 64);
  EXPECT_EQ(counters[Counter::kWarpOperations], 6U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 3U);
}

TEST_F(CountMachine, APublicationThatFollowsAnother) {
  // Block 0 publishes, and block 1 waits for it and publishes, too.
  const count::CounterSet counters = counted(
      "mov.u32 %a, %ctaid.x;\nsetp.eq.u32 %x, %a, 0;\n@%x bra PUBLISH;\n"
      "WAIT:\nld.volatile.global.u32 %b, [%out];\nsetp.eq.u32 %y, %b, 0;\n@%y bra WAIT;\n"
      "PUBLISH:\nmul.wide.u32 %p, %a, 4;\nadd.s64 %p, %out, %p;\n"
      "st.volatile.global.u32 [%p], 1;\n",
      2, 1);
  EXPECT_EQ(counters[Counter::kPollsMaxPerWarp], 1U);
  EXPECT_GE(counters[Counter::kPublicationsMaxChain], 1U);
}

TEST_F(CountMachine, Atomics) {
  const count::CounterSet counters =
      counted("atom.global.add.u32 %a, [%out], 1;\nred.global.add.u32 [%out], 1;\n", 2, 64);
  EXPECT_EQ(counters[Counter::kGlobalAtomicRequests], 8U);
  EXPECT_EQ(counters[Counter::kGlobalAtomicLanes], 256U);
  EXPECT_EQ(counters[Counter::kGlobalAtomicMaxSameAddress], 32U);
  EXPECT_EQ(counters[Counter::kAtomicsMaxPerBlock], 128U);
  EXPECT_EQ(counters[Counter::kPublicationsMaxChain], 2U) << "the second follows the first";
}

}  // namespace
}  // namespace count_machine_test
