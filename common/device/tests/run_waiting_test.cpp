// SPDX-License-Identifier: MIT
// Barriers, warp operations, atomics, polling, asynchronous copies.
#include <map>

#include "run_test.h"

namespace {

using run_test::kernel;
using run_test::kStore;

class RunWaiting : public run_test::Run {};

const std::string kTile = ".shared .align 4 .b8 tile[4096];\n";
// %q = address of out[%b] (a word).
const std::string kOutB = "mul.wide.u32 %q, %b, 4;\nadd.s64 %q, %out, %q;\n";

// Each lane reads its neighbour's word behind its own store.
TEST_F(RunWaiting, OneLaneOfARacingWarpIsAhead) {
  load(kernel("add.u32 %a, %t, 5;\n" + kStore +
              "ld.global.u32 %a, [%p+4];\nst.global.u32 [%p], %a;\n"));
  for (const bool loses_updates : {false, true}) {
    loses_updates_ = loses_updates;
    const auto out = launch(1, 32);
    EXPECT_EQ(out[0], loses_updates ? 0 : 6);
    for (unsigned i = 1; i < 31; ++i) EXPECT_EQ(out[i], i + 6);
  }
}

TEST_F(RunWaiting, ExchangesWordsThroughSharedMemoryAtABarrier) {
  load(
      kernel("mov.u32 %b, tile;\nmad.lo.u32 %c, %t, 4, %b;\nst.shared.u32 [%c], %t;\nbar.sync 0;\n"
             "mov.u32 %d, %ntid.x;\nsub.u32 %d, %d, %t;\nsub.u32 %d, %d, 1;\n"
             "mad.lo.u32 %c, %d, 4, %b;\nld.shared.u32 %a, [%c];\n" +
                 kStore,
             kTile));
  for (const std::uint64_t seed : {0, 1, 2, 3, 6}) {
    machine_->set_schedule(seed);
    const auto out = launch(2, 100);
    for (unsigned i = 0; i < 200; ++i) EXPECT_EQ(out[i], 99 - i % 100);
  }
}

TEST_F(RunWaiting, LetsThreadsThatHaveEndedMissABarrier) {
  load(kernel("setp.gt.u32 %x, %t, 40;\n@%x ret;\nbar.sync 0;\nmov.u32 %a, 1;\n" + kStore));
  const auto out = launch(1, 96);
  for (unsigned i = 0; i < 96; ++i) EXPECT_EQ(out[i], i > 40 ? 0 : 1);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RunWaiting, CountsVotesAtABarrier) {
  load(kernel("setp.lt.u32 %x, %t, 10;\nbarrier.red.popc.u32 %a, 0, %x;\n" + kStore));
  for (const std::uint32_t votes : launch(1, 64)) EXPECT_EQ(votes, 10U);
}

TEST_F(RunWaiting, FindsThreadsAtDifferentBarriers) {
  load(
      kernel("setp.lt.u32 %x, %t, 10;\n@%x bra B;\n.loc 1 5 1\nbar.sync 0;\nbra E;\n"
             "B:\n.loc 1 7 1\nbar.sync 0;\nE:\n",
             ".file 1 \"a.cu\"\n"));
  launch(1, 64);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].kind, report::Kind::kBarrierDivergence);
}

TEST_F(RunWaiting, WaitsForAPartOfTheBlock) {
  // The first warp waits at barrier 1 for the second one alone; the third never comes.
  load(
      kernel("mov.u32 %a, 0;\nsetp.ge.u32 %x, %t, 64;\n@%x bra E;\nbar.sync 1, 64;\n"
             "mov.u32 %a, 1;\nE:\n" +
             kStore));
  const auto out = launch(1, 96);
  for (unsigned i = 0; i < 96; ++i) EXPECT_EQ(out[i], i < 64 ? 1 : 0);
}

TEST_F(RunWaiting, ReportsADeadlock) {
  load(kernel(
      "setp.ge.u32 %x, %t, 32;\n@%x bra E;\nbar.sync 1, 64;\nbra F;\nE: bar.sync 2, 64;\nF:\n"));
  launch(1, 64);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].kind, report::Kind::kDeadlock);
}

TEST_F(RunWaiting, ShufflesVotesAndMatches) {
  load(
      kernel("shfl.sync.down.b32 %b|%x, %t, 1, 31, 0xffffffff;\nvote.sync.ballot.b32 %c, %x, -1;\n"
             "setp.eq.u32 %y, %n, 0;\n@%y mov.u32 %a, %b;\n@!%y mov.u32 %a, %c;\n" +
             kStore));
  const auto down = launch(1, 32, 0);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(down[i], i < 31 ? i + 1 : 31);
  for (const std::uint32_t votes : launch(1, 32, 1)) EXPECT_EQ(votes, 0x7fffffffU);
  load(kernel("and.b32 %b, %t, 3;\nmatch.any.sync.b32 %a, %b, -1;\n" + kStore));
  const auto match = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(match[i], 0x11111111U << i % 4);
  load(kernel("redux.sync.max.s32 %a, %t, -1;\n" + kStore));
  for (const std::uint32_t most : launch(1, 32)) EXPECT_EQ(most, 31U);
}

TEST_F(RunWaiting, BringsLanesOfOneMaskTogetherFromTwoBranches) {
  load(
      kernel("and.b32 %b, %t, 1;\nsetp.eq.u32 %x, %b, 1;\n@%x bra ODD;\n"
             "shfl.sync.bfly.b32 %a, %t, 1, 31, -1;\nbra E;\n"
             "ODD: shfl.sync.bfly.b32 %a, %t, 1, 31, -1;\nE:\n" +
             kStore));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i ^ 1);
}

TEST_F(RunWaiting, LetsLanesOfDifferentMasksVoteInOneInstruction) {
  load(kernel(
      "setp.lt.u32 %x, %t, 16;\nselp.b32 %m, 0xffff, 0xffff0000, %x;\nsetp.ne.u32 %y, %t, 99;\n"
      "vote.sync.ballot.b32 %a, %y, %m;\n" +
      kStore));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? 0xffffU : 0xffff0000U);
}

TEST_F(RunWaiting, FindsALaneOutsideOfItsMask) {
  load(kernel("bar.warp.sync 0xfffffffe;\n"));
  launch(1, 32);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].kind, report::Kind::kBarrierDivergence);
}

TEST_F(RunWaiting, FindsAWidthThatIsNoPowerOfTwo) {
  load(kernel("shfl.sync.down.b32 %a, %t, 1, 6175, -1;\n" + kStore));  // 8 lanes: 24 << 8 | 31
  launch(1, 32);
  EXPECT_TRUE(findings_.empty());
  load(kernel("shfl.sync.down.b32 %a, %t, 1, 3103, -1;\n" + kStore));  // 20 lanes
  launch(1, 32);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_NE(findings_[0].message.find("the width 20, and the width has to be 1, 2, 4"),
            std::string::npos);
}

TEST_F(RunWaiting, AddsAtomically) {
  load(kernel("mov.u32 %b, 0;\n" + kOutB + "atom.global.add.u32 %a, [%q], 1;\n"));
  EXPECT_EQ(launch(4, 64)[0], 256U);
  load(kernel("mov.u32 %b, 0;\n" + kOutB + "red.global.max.u32 [%q], %t;\n"));
  EXPECT_EQ(launch(4, 64)[0], 63U);
}

TEST_F(RunWaiting, LetsASpinLockOfOneWarpPass) {
  // Every thread takes the lock in out[0] and adds to out[1].
  load(kernel("mov.u32 %b, 0;\n" + kOutB +
              "L: atom.global.cas.b32 %a, [%q], 0, 1;\nsetp.ne.u32 %x, %a, 0;\n@%x bra L;\n"
              "ld.volatile.global.u32 %c, [%q+4];\nadd.u32 %c, %c, 1;\n"
              "st.volatile.global.u32 [%q+4], %c;\natom.global.exch.b32 %a, [%q], 0;\n"));
  EXPECT_EQ(launch(2, 64)[1], 128U);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RunWaiting, LetsABlockWaitForALaterOne) {
  load(kernel("mov.u32 %b, 0;\n" + kOutB +
              "mov.u32 %c, %ctaid.x;\nsetp.eq.u32 %x, %c, 0;\n@!%x bra W;\n"
              "L: ld.acquire.gpu.global.u32 %a, [%q+64];\nsetp.eq.u32 %y, %a, 0;\n@%y bra L;\n"
              "st.global.u32 [%q], %a;\nret;\nW: st.release.gpu.global.u32 [%q+64], 42;\n"));
  EXPECT_EQ(launch(2, 1)[0], 42U);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RunWaiting, ReturnsToTheHostWhileItMayWriteWhatIsPolled) {
  load(kernel("mov.u32 %b, 0;\n" + kOutB +
              "L: ld.volatile.global.u32 %a, [%q];\nsetp.eq.u32 %y, %a, 0;\n@%y bra L;\n"));
  machine_->set_step_limit(1000);
  launch(1, 1);
  EXPECT_EQ(outcome_, run::Outcome::kWaitsForHost);
  machine_->give_up(", and the host waits for the kernel");
  findings_ = report::take_findings();
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].kind, report::Kind::kDeadlock);
}

TEST_F(RunWaiting, DelaysAsynchronousCopiesUntilTheWait) {
  load(
      kernel("mul.wide.u32 %q, %t, 4;\nadd.s64 %q, %out, %q;\nadd.u32 %a, %t, 5;\n"
             "st.global.u32 [%q], %a;\nmov.u32 %b, tile;\nmad.lo.u32 %c, %t, 4, %b;\n"
             "cp.async.ca.shared.global [%c], [%q], 4;\ncp.async.commit_group;\n"
             "ld.shared.u32 %d, [%c];\ncp.async.wait_group 0;\nld.shared.u32 %a, [%c];\n"
             "setp.eq.u32 %x, %d, %a;\n@%x mov.u32 %a, 0;\n" +
                 kStore,
             kTile));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i + 5);
}

// What a copy fills with zeros is not read: it may lie past the end of an allocation.
TEST_F(RunWaiting, ReadsNoMoreThanAnAsynchronousCopyTakes) {
  struct Watch : run::Monitor {
    void access(run::Warp&, run::Access& access) override {
      if (access.reads && access.is_async) lanes[access.size_bytes] |= access.lanes;
    }
    std::map<std::uint32_t, std::uint32_t> lanes;
  } watch;
  load(
      kernel("mov.u32 %b, tile;\nmad.lo.u32 %d, %t, 16, %b;\nand.b32 %c, %t, 3;\n"
             "shl.b32 %c, %c, 2;\ncp.async.cg.shared.global [%d], [%out], 16, %c;\n"
             "cp.async.wait_all;\nld.shared.u32 %a, [%d+12];\n" +
                 kStore,
             ".shared .align 16 .b8 tile[4096];\n"));
  machine_->set_monitors({&watch});
  const auto out = launch(1, 32);
  const std::map<std::uint32_t, std::uint32_t> expected = {
      {4, 0x22222222U}, {8, 0x44444444U}, {12, 0x88888888U}};
  EXPECT_EQ(watch.lanes, expected);
  for (const std::uint32_t word : out) EXPECT_EQ(word, 0U);
}

TEST_F(RunWaiting, CompletesAPhaseOfABarrierObject) {
  load(
      kernel("mov.u32 %b, tile;\nsetp.eq.u32 %x, %t, 0;\n@%x mbarrier.init.shared.b64 [%b], 64;\n"
             "bar.sync 0;\nmbarrier.arrive.shared.b64 %p, [%b];\n"
             "L: mbarrier.test_wait.shared.b64 %y, [%b], %p;\n@!%y bra L;\nmov.u32 %a, 9;\n" +
                 kStore,
             ".shared .align 8 .b8 tile[64];\n"));
  for (const std::uint32_t word : launch(1, 64)) EXPECT_EQ(word, 9U);
}

// Each lane votes with `mask`, and with `odd` if its number is odd.
std::string vote(const std::string& mask, const std::string& odd) {
  return kernel("and.b32 %b, %t, 1;\nsetp.eq.u32 %x, %b, 1;\nselp.b32 %m, " + odd + ", " + mask +
                ", %x;\nsetp.eq.u32 %y, %t, %t;\nvote.sync.ballot.b32 %a, %y, %m;\n" + kStore);
}

TEST_F(RunWaiting, TellsOfLanesThatVotedWithAnotherMaskAndLeft) {
  load(vote("0xffffffff", "0xaaaaaaaa"));
  launch(1, 32);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].kind, report::Kind::kBarrierDivergence);
  EXPECT_NE(findings_[0].message.find("lane 1"), std::string::npos) << findings_[0].message;
}

TEST_F(RunWaiting, LetsTwoHalvesOfAWarpVoteApart) {
  load(vote("0x55555555", "0xaaaaaaaa"));
  const auto votes = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(votes[i], i % 2 == 1 ? 0xaaaaaaaa : 0x55555555);
  EXPECT_TRUE(findings_.empty());
}

}  // namespace
