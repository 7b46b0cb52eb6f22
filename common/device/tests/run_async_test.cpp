// SPDX-License-Identifier: MIT
// Bulk copies, barrier objects and barriers where a thread only arrives: what orders what.
#include "run_test.h"

namespace {

using report::Kind;

const std::string kMemory =
    ".global .align 128 .b8 data[1024];\n.shared .align 128 .b8 tile[1024];\n"
    ".shared .align 8 .b64 full;\n";
const std::string kStart =
    ".reg .b32 %bar, %at, %own, %v;\n.reg .b64 %data;\nmov.u64 %data, data;\nmov.u32 %at, tile;\n"
    "mov.u32 %bar, full;\nmad.lo.u32 %own, %t, 4, %at;\nsetp.eq.u32 %x, %t, 0;\n";

std::string init(unsigned count) {
  return "@%x mbarrier.init.shared.b64 [%bar], " + std::to_string(count) +
         ";\nfence.proxy.async.shared::cta;\n";
}
const std::string kMeetAll = "bar.sync 0;\n";
const std::string kWaitForPhase =
    "WAIT: mbarrier.try_wait.parity.shared.b64 %y, [%bar], 0;\n@!%y bra WAIT;\n";

class RunAsync : public run_test::Run {
 protected:
  void run(const std::string& body, unsigned num_threads = 64) {
    load(run_test::kernel(kStart + body, kMemory));
    ASSERT_TRUE(refusals_.empty()) << refusals_.front();
    launch_checked(1, num_threads);
  }
};

// ---- barrier objects

TEST_F(RunAsync, AWaitOrdersWhatCameBeforeTheArrivals) {
  run(init(64) + kMeetAll + "st.shared.u32 [%own], %t;\nmbarrier.arrive.shared.b64 _, [%bar];\n" +
      kWaitForPhase + "xor.b32 %a, %t, 32;\nmad.lo.u32 %a, %a, 4, %at;\nld.shared.u32 %a, [%a];\n" +
      run_test::kStore);
  expect_none();
}

// Warp 1 looks at the object when warp 0 has long written.
TEST_F(RunAsync, AWaitDoesNotOrderWhatCameAfterTheArrivals) {
  run("st.shared.u32 [%own], %t;\n" + init(32) + kMeetAll +
      "setp.ge.u32 %z, %t, 32;\n@%z bra WAIT;\nmbarrier.arrive.shared.b64 _, [%bar];\n"
      "st.shared.u32 [%own], %bar;\nbra END;\n" +
      kWaitForPhase + "ld.shared.u32 %a, [%own+-128];\n" + run_test::kStore + "END:\n");
  expect(Kind::kRace, "thread 32 of block 0 reads shared memory (tile)");
}

TEST_F(RunAsync, AnObjectThatIsUsedBeforeABarrierFollowsItsInit) {
  run(init(64) + "mbarrier.arrive.shared.b64 _, [%bar];\n");
  expect(Kind::kRace, "shared memory (full)");
}

TEST_F(RunAsync, ACopyByCpAsyncArrivesForItsThread) {
  run(init(64) + kMeetAll +
      "mul.wide.u32 %p, %t, 4;\nadd.u64 %p, %p, %data;\ncp.async.ca.shared.global [%own], [%p], 4;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];\n" +
      kWaitForPhase + "xor.b32 %a, %t, 32;\nmad.lo.u32 %a, %a, 4, %at;\nld.shared.u32 %a, [%a];\n" +
      run_test::kStore);
  expect_none();
}

// ---- cp.async

std::string copy_of(const std::string& bytes) {
  return "mul.wide.u32 %p, %t, 4;\nadd.u64 %p, %p, %data;\nmov.u32 %v, " + bytes +
         ";\ncp.async.ca.shared.global [%own], [%p], 4, %v;\ncp.async.wait_all;\n";
}

TEST_F(RunAsync, AsManyBytesFromMemoryAsTheCopyHas) {
  run(copy_of("0") + copy_of("4"));
  expect_none();
}

TEST_F(RunAsync, MoreBytesFromMemoryThanTheCopyHas) {
  run(copy_of("8"));
  expect(Kind::kOutOfBounds, "that number must be from 0 to 4");
  run(copy_of("-4"));
  expect(Kind::kOutOfBounds, "and -4 of them from memory");
}

// ---- bulk copies to shared memory

std::string load_halves(unsigned announced) {
  const std::string copy =
      "@%x cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%data], %v, "
      "[%bar];\n";
  return init(1) + kMeetAll +
         "mov.u32 %v, 128;\n@%x mbarrier.arrive.expect_tx.shared.b64 _, [%bar], " +
         std::to_string(announced) + ";\n" + copy +
         "add.u32 %at, %at, 128;\nadd.u64 %data, %data, 128;\n" + copy + kWaitForPhase +
         "ld.shared.u32 %a, [%own];\n" + run_test::kStore;
}

TEST_F(RunAsync, AllBytesAreAnnounced) {
  run(load_halves(256));
  expect_none();
}

TEST_F(RunAsync, TooFewBytesAreAnnounced) {
  run(load_halves(128));
  expect(Kind::kRace, "wait for the phase of the copy's mbarrier");
}

TEST_F(RunAsync, TooManyBytesAreAnnounced) {
  run(load_halves(512));
  expect(
      Kind::kDeadlock,
      "for its phase of parity 0 to end (1 of 1 arrival, and 256 bytes of bulk copies are missing)");
}

// ---- bulk copies from shared memory

const std::string kWriteAndPublish =
    "st.shared.u32 [%own], %t;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n";
const std::string kCopyOut =
    "mov.u32 %v, 256;\n@%x cp.async.bulk.global.shared::cta.bulk_group [%out], [%at], %v;\n";
const std::string kCommitCopies = "@%x cp.async.bulk.commit_group;\n";
std::string wait_read(int num_left) {
  return "@%x cp.async.bulk.wait_group.read " + std::to_string(num_left) + ";\n";
}

TEST_F(RunAsync, ASourceThatIsWrittenAfterTheWait) {
  run(kWriteAndPublish + kCopyOut + kCommitCopies + wait_read(0) + kMeetAll + kWriteAndPublish);
  expect_none();
}

TEST_F(RunAsync, ASourceThatIsWrittenBeforeTheWait) {
  run(kWriteAndPublish + kCopyOut + kCommitCopies + kMeetAll + kWriteAndPublish + wait_read(0));
  expect(Kind::kRace, "writes shared memory that the bulk copy");
}

TEST_F(RunAsync, ASourceThatIsWrittenAfterTheWaitWithoutABarrier) {
  run(kWriteAndPublish + kCopyOut + kCommitCopies + wait_read(0) + "st.shared.u32 [%own], %bar;\n");
  expect(Kind::kRace, "shared memory (tile)");
}

TEST_F(RunAsync, AWaitThatLeavesTheNewestCopy) {
  run(kWriteAndPublish + kCopyOut + kCommitCopies + wait_read(1) + kMeetAll + kWriteAndPublish +
      wait_read(0));
  expect(Kind::kRace, "writes shared memory that the bulk copy");
}

TEST_F(RunAsync, AWaitForACopyThatIsInNoGroup) {
  run(kWriteAndPublish + kCopyOut + wait_read(0) + kMeetAll + kWriteAndPublish + kCommitCopies +
      wait_read(0));
  expect(Kind::kRace, "After cp.async.bulk.commit_group, the memory is free");
}

TEST_F(RunAsync, ABlockThatEndsBeforeTheWait) {
  run(kWriteAndPublish + kCopyOut + kCommitCopies);
  expect(Kind::kRace, "ends, and so does its block, while the bulk copy");
}

std::string read_target_after(const std::string& wait) {
  return kWriteAndPublish + kCopyOut + kCommitCopies + "@%x cp.async.bulk." + wait + ";\n" +
         kMeetAll + "ld.global.u32 %a, [%out];\n@%x cp.async.bulk.wait_group 0;\n";
}

TEST_F(RunAsync, ATargetThatIsReadAfterTheWait) {
  run(read_target_after("wait_group 0"));
  expect_none();
}

TEST_F(RunAsync, ATargetThatIsReadWhenTheSourceHasBeenRead) {
  run(read_target_after("wait_group.read 0"));
  expect(Kind::kRace, "may not have written yet: it has started the copy");
}

TEST_F(RunAsync, ATargetOfAGroupThatTheWaitLeaves) {
  run(read_target_after("wait_group 1"));
  expect(Kind::kRace, "may not have written yet");
}

TEST_F(RunAsync, ATargetThatItsOwnThreadWritesEarly) {
  run(kWriteAndPublish + kCopyOut + kCommitCopies + wait_read(0) +
      "@%x st.global.u32 [%out+252], 1;\n");
  expect(Kind::kRace, "thread 0 of block 0 writes global memory that the bulk copy");
  run(kWriteAndPublish + kCopyOut + kCommitCopies + wait_read(0) +
      "@%x st.global.u32 [%out+256], 1;\n");
  expect_none();
}

// ---- barriers where threads only arrive

std::string arrive_and_write(const std::string& write_before, const std::string& write_after) {
  return "setp.ge.u32 %z, %t, 32;\n@%z bra READ;\n" + write_before + "bar.arrive 1, 64;\n" +
         write_after + "bra END;\nREAD: bar.sync 1, 64;\nld.shared.u32 %a, [%own+-128];\n" +
         run_test::kStore + "END:\n";
}

TEST_F(RunAsync, WhatAThreadDidBeforeItArrived) {
  run(arrive_and_write("st.shared.u32 [%own], %t;\n", ""));
  expect_none();
}

TEST_F(RunAsync, WhatAThreadDoesAfterItArrived) {
  run("st.shared.u32 [%own], %t;\nbar.sync 0;\n" +
      arrive_and_write("", "st.shared.u32 [%own], %bar;\n"));
  expect(Kind::kRace, "thread 32 of block 0 reads shared memory (tile)");
}

TEST_F(RunAsync, AnArrivalAtAnotherBarrier) {
  run("setp.ge.u32 %z, %t, 32;\n@%z bra READ;\nst.shared.u32 [%own], %t;\nbar.arrive 2, 64;\n"
      "bar.arrive 1, 64;\nbra END;\nREAD: setp.ge.u32 %z, %t, 64;\n@%z bra LAST;\nbar.sync 1, 64;\n"
      "ld.shared.u32 %a, [%own+-128];\nbra END;\nLAST: bar.sync 2, 64;\nEND:\n",
      96);
  expect_none();
  run("setp.ge.u32 %z, %t, 32;\n@%z bra READ;\nbar.arrive 1, 64;\nst.shared.u32 [%own], %t;\n"
      "bar.arrive 2, 64;\nbra END;\nREAD: setp.ge.u32 %z, %t, 64;\n@%z bra LAST;\nbar.sync 1, 64;\n"
      "ld.shared.u32 %a, [%own+-128];\nbra END;\nLAST: bar.sync 2, 64;\nEND:\n",
      96);
  expect(Kind::kRace, "shared memory (tile)");
}

// ---- registers of warpgroups

// Warps from `first` on, up to `end`, set their registers.
std::string set_registers(unsigned first, unsigned end, const std::string& instruction) {
  const std::string label = "SKIP" + std::to_string(first);
  return "shr.u32 %a, %t, 5;\nsetp.lt.u32 %y, %a, " + std::to_string(first) + ";\n@%y bra " +
         label + ";\nsetp.ge.u32 %y, %a, " + std::to_string(end) + ";\n@%y bra " + label +
         ";\nsetmaxnreg." + instruction + ";\n" + label + ":\n";
}

TEST_F(RunAsync, RegistersThatOthersHaveGiven) {
  run(set_registers(0, 4, "dec.sync.aligned.u32 24") +
          set_registers(4, 12, "inc.sync.aligned.u32 240"),
      384);
  expect_none();
}

TEST_F(RunAsync, RegistersThatNoneHaveGiven) {
  run(set_registers(4, 12, "inc.sync.aligned.u32 240"), 384);
  expect(Kind::kDeadlock, "the block's threads need 82944");
}

TEST_F(RunAsync, RegistersOfAPartOfAGroup) {
  run(set_registers(4, 5, "dec.sync.aligned.u32 24"), 256);
  expect(Kind::kBarrierDivergence, "not all four warps of its warpgroup do");
}

TEST_F(RunAsync, RegistersInAnUnknownNumber) {
  load(run_test::kernel("setmaxnreg.dec.sync.aligned.u32 30;\n"));
  ASSERT_EQ(refusals_.size(), 1u);
}

}  // namespace
