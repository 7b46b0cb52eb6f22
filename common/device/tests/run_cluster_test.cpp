// SPDX-License-Identifier: MIT
// Clusters of blocks: their barrier, and each other's shared memory.
#include <algorithm>

#include "run_test.h"

namespace {

using report::Kind;

const std::string kWord = ".shared .align 4 .b32 word;\n";
const std::string kSync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
// Thread 0 of each block writes 100 + its index to `word`.
const std::string kWrite =
    "mov.u32 %c, %ctaid.x;\nadd.u32 %c, %c, 100;\nmov.u32 %d, word;\nsetp.eq.u32 %x, %t, 0;\n"
    "@%x st.shared.u32 [%d], %c;\n";
// Each thread reads `word` of the next block of its cluster.
const std::string kReadNext =
    "mov.u32 %a, %cluster_ctarank;\nmov.u32 %b, %cluster_nctarank;\nadd.u32 %a, %a, 1;\n"
    "rem.u32 %a, %a, %b;\nmapa.shared::cluster.u32 %b, %d, %a;\nld.shared::cluster.u32 %a, [%b];\n";

class RunCluster : public run_test::Run {
 protected:
  RunCluster() { cluster_ = {2, 1, 1}; }

  std::vector<std::uint32_t> checked(const std::string& body, unsigned num_blocks = 4,
                                     unsigned num_threads = 64) {
    load(run_test::kernel(body, kWord));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    return launch_checked(num_blocks, num_threads);
  }
  void expect_next(const std::vector<std::uint32_t>& out) {
    EXPECT_TRUE(findings_.empty()) << findings_[0].message;
    for (unsigned i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 100 + (i / 64 ^ 1)) << i;
  }
};

TEST_F(RunCluster, BlocksReadEachOthersSharedMemory) {
  expect_next(checked(kWrite + kSync + kReadNext + kSync + run_test::kStore));
}

TEST_F(RunCluster, ThroughGenericAddressesInEachOrder) {
  load(run_test::kernel(
      kWrite + kSync +
          "mov.u32 %a, %cluster_ctarank;\nxor.b32 %a, %a, 1;\ncvt.u64.u32 %p, %d;\n"
          "cvta.shared.u64 %p, %p;\nmapa.u64 %q, %p, %a;\ngetctarank.u32 %b, [%q];\n"
          "ld.u32 %a, [%q];\nmad.lo.u32 %a, %b, 1000, %a;\n" +
          kSync + run_test::kStore,
      kWord));
  for (const std::uint64_t seed : {0, 1, 2, 3, 6}) {
    machine_->set_schedule(seed);
    const auto out = launch(4, 64);
    EXPECT_TRUE(findings_.empty()) << findings_[0].message;
    for (unsigned i = 0; i < out.size(); ++i) {
      const unsigned other = i / 64 ^ 1;
      EXPECT_EQ(out[i], 1000 * (other % 2) + 100 + other) << i;
    }
  }
}

TEST_F(RunCluster, AGenericAddressBeforeTheStart) {
  checked("cvt.u64.u32 %p, %d;\ncvta.shared.u64 %p, %p;\nst.u32 [%p+-1000000], %n;\n");
  expect(Kind::kOutOfBounds, "before the start of the block's shared memory");
}

TEST_F(RunCluster, WorkBetweenArrivalAndWait) {
  expect_next(checked(kWrite +
                      "barrier.cluster.arrive.release.aligned;\nadd.u32 %n, %t, 1;\n"
                      "barrier.cluster.wait.acquire.aligned;\n" +
                      kReadNext + kSync + run_test::kStore));
}

TEST_F(RunCluster, WithoutTheBarrierItIsARace) {
  checked(kWrite + kReadNext + kSync + run_test::kStore);
  ASSERT_FALSE(findings_.empty());
  EXPECT_TRUE(findings_[0].kind == Kind::kRace || findings_[0].kind == Kind::kUninitializedRead);
}

TEST_F(RunCluster, TheBlocksBarrierDoesNotOrderTheCluster) {
  checked(kWrite + "bar.sync 0;\n" + kReadNext + kSync + run_test::kStore);
  const auto race = std::ranges::find(findings_, Kind::kRace, &report::Finding::kind);
  ASSERT_NE(race, findings_.end());
  EXPECT_NE(race->message.find("use cluster.sync()"), std::string::npos) << race->message;
}

TEST_F(RunCluster, WhatIsWrittenBehindTheArrivalIsNotOrdered) {
  checked(kWrite +
          "barrier.cluster.arrive.aligned;\n@%x st.shared.u32 [%d], %n;\n"
          "barrier.cluster.wait.aligned;\n" +
          kReadNext + kSync + run_test::kStore);
  expect(Kind::kRace, "shared memory");
}

TEST_F(RunCluster, ARelaxedArrivalOrdersNothing) {
  checked(kWrite + "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n" +
          kReadNext + kSync + run_test::kStore);
  expect(Kind::kRace, "shared memory");
}

// Block 0 goes on from the wait, writes and releases; block 1 may come to its wait much later.
TEST_F(RunCluster, AWaitOrdersNothingThatFollowsThePhase) {
  load(run_test::kernel(
      kWrite +
          "barrier.cluster.arrive.aligned;\nmov.u32 %a, %cluster_ctarank;\n"
          "setp.eq.u32 %y, %a, 0;\n@%y bra FIRST;\nbar.sync 0;\nbar.sync 0;\nbar.sync 0;\n"
          "barrier.cluster.wait.aligned;\n" +
          kReadNext +
          "bra END;\nFIRST: barrier.cluster.wait.aligned;\n@%x st.shared.u32 [%d], %n;\n"
          "fence.acq_rel.cluster;\nEND:\n" +
          kSync,
      kWord));
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
    machine_->set_schedule(seed);
    launch_checked(2, 64);
    ASSERT_FALSE(findings_.empty()) << seed;
    EXPECT_EQ(findings_[0].kind, Kind::kRace) << findings_[0].message;
  }
}

TEST_F(RunCluster, ThreadsThatHaveEndedAreNotWaitedFor) {
  const auto out =
      checked("setp.gt.u32 %x, %t, 40;\n@%x ret;\nmov.u32 %a, 7;\n" + kSync + run_test::kStore);
  EXPECT_TRUE(findings_.empty());
  for (unsigned i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 64 > 40 ? 0 : 7);
}

TEST_F(RunCluster, ABlockThatEndsTakesItsMemoryAlong) {
  checked(kWrite + kSync + "mov.u32 %a, %cluster_ctarank;\nsetp.eq.u32 %x, %a, 0;\n@%x ret;\n" +
          kReadNext + run_test::kStore);
  ASSERT_EQ(findings_.size(), 2u);  // one warp of block 1 comes in time, by luck
  EXPECT_EQ(findings_[0].kind, Kind::kRace);
  EXPECT_EQ(findings_[1].kind, Kind::kOutOfBounds);
  EXPECT_NE(findings_[1].message.find("block 0 of its cluster, which is not there or has ended"),
            std::string::npos)
      << findings_[1].message;
}

TEST_F(RunCluster, ABlockMayEndBeforeItsMemoryIsRead) {
  checked(kWrite + kSync + "mov.u32 %a, %cluster_ctarank;\nsetp.eq.u32 %x, %a, 0;\n@%x ret;\n" +
              kReadNext + run_test::kStore,
          2, 32);
  expect(Kind::kRace, "nothing makes that block wait until then");
}

// Each block ends when the other one has told it that it has read.
TEST_F(RunCluster, ABlockWaitsUntilItsMemoryHasBeenRead) {
  load(run_test::kernel(
      ".reg .b32 %bar;\nmov.u32 %bar, seen;\nsetp.eq.u32 %x, %t, 0;\n"
      "@%x mbarrier.init.shared.b64 [%bar], 32;\n" +
          kWrite + kSync + kReadNext +
          "mov.u32 %b, %cluster_ctarank;\nxor.b32 %b, %b, 1;\n"
          "mapa.shared::cluster.u32 %b, %bar, %b;\n"
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%b];\n"
          "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %y, [%bar], 0;\n"
          "@!%y bra WAIT;\n",
      kWord + ".shared .align 8 .b64 seen;\n"));
  ASSERT_TRUE(refusals_.empty()) << refusals_.front();
  launch_checked(2, 32);
  expect_none();
}

TEST_F(RunCluster, AWaitNeedsAnArrival) {
  checked("barrier.cluster.wait.aligned;\n");
  expect(Kind::kBarrierDivergence, "waits at the cluster's barrier, but has not arrived there");
  checked("barrier.cluster.arrive;\nbarrier.cluster.arrive;\n");
  expect(Kind::kBarrierDivergence, "arrives at the cluster's barrier once more");
}

TEST_F(RunCluster, ABlockThatNeverComesIsADeadlock) {
  checked("mov.u32 %a, %cluster_ctarank;\nsetp.eq.u32 %x, %a, 1;\n@%x bra END;\n" + kSync +
              "END:\nsetp.lt.u32 %y, %t, 32;\n@!%x bra DONE;\n@%y barrier.sync 1, 64;\n"
              "barrier.sync 2, 64;\nDONE:\n",
          2);
  expect(Kind::kDeadlock, "");
}

TEST_F(RunCluster, AtomicsOnAnotherBlocksMemory) {
  const auto out =
      checked("mov.u32 %d, word;\nsetp.eq.u32 %x, %t, 0;\n@%x st.shared.u32 [%d], 0;\n" + kSync +
              "mov.u32 %a, 0;\nmapa.shared::cluster.u32 %b, %d, %a;\n"
              "atom.relaxed.cluster.shared::cluster.add.u32 %c, [%b], 1;\n" +
              kSync + "ld.shared::cluster.u32 %a, [%b];\n" + kSync + run_test::kStore);
  EXPECT_TRUE(findings_.empty()) << findings_[0].message;
  for (const std::uint32_t sum : out) EXPECT_EQ(sum, 128u);
}

TEST_F(RunCluster, ABarrierCountsInEachBlock) {
  for (const std::string between : {"", "add.u32 %n, %t, 1;\n"}) {
    load(run_test::kernel(
        "barrier.cluster.arrive.aligned;\n" + between + "barrier.cluster.wait.aligned;\n", kWord));
    EXPECT_EQ(launch_counted(4, 64)[count::Counter::kBarriers], 4u);
  }
}

}  // namespace
