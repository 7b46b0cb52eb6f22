// SPDX-License-Identifier: MIT
// Loops that touch no memory: endless ones are told as such, slow ones come to their end.
#include "run_test.h"

namespace {

class RunEndless : public run_test::Run {
 protected:
  // `before`, then `loop` until its %x is false, then out[thread] = %a.
  std::vector<std::uint32_t> run_loop(const std::string& before, const std::string& loop,
                                      std::uint32_t n = 0) {
    load(run_test::kernel(before + "LOOP:\n" + loop + "@%x bra LOOP;\n" + run_test::kStore));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    machine_->set_step_limit(4000);
    return launch(1, 32, n);
  }
  void expect_endless() {
    ASSERT_EQ(findings_.size(), 1u);
    EXPECT_EQ(findings_[0].kind, report::Kind::kDeadlock);
    EXPECT_NE(findings_[0].message.find("endless loop that does not touch memory"),
              std::string::npos);
  }
};

const std::string kZero = "mov.u32 %a, 0;\nmov.u32 %b, 16;\n";

TEST_F(RunEndless, ACounterThatStaysAtZero) {
  run_loop(kZero, "shr.u32 %b, %b, 1;\nsetp.ge.s32 %x, %b, 0;\n");
  expect_endless();
}

TEST_F(RunEndless, WhatTheLoopAddsUpDoesNotDecide) {
  run_loop(kZero, "add.u32 %a, %a, 3;\nshr.u32 %b, %b, 1;\nsetp.ge.s32 %x, %b, 0;\n");
  expect_endless();
}

TEST_F(RunEndless, ARoundOfSeveralValues) {
  run_loop(kZero, "add.u32 %b, %b, 1;\nand.b32 %b, %b, 1023;\nsetp.ne.u32 %x, %b, 2000;\n");
  expect_endless();
}

TEST_F(RunEndless, OneLaneIsEnough) {
  run_loop(kZero,
           "shr.u32 %b, %b, 1;\nsetp.eq.u32 %y, %t, 7;\nsetp.ne.u32 %x, %b, 0;\nor.pred %x, %x, "
           "%y;\n");
  expect_endless();
}

// 40 times as many blocks as the step limit.
TEST_F(RunEndless, ALongLoopIsNone) {
  const auto out = run_loop(kZero, "add.u32 %a, %a, 1;\nsetp.lt.u32 %x, %a, %n;\n", 160'000);
  EXPECT_TRUE(findings_.empty()) << findings_[0].message;
  EXPECT_EQ(out[5], 160'000u);
}

TEST_F(RunEndless, ALongLoopThatReadsIsNone) {
  const auto out = run_loop(
      kZero, "ld.global.u32 %c, [%out];\nadd.u32 %a, %a, 1;\nsetp.lt.u32 %x, %a, %n;\n", 100'000);
  EXPECT_TRUE(findings_.empty()) << findings_[0].message;
  EXPECT_EQ(out[5], 100'000u);
}

TEST_F(RunEndless, ALongLoopInLocalMemoryIsNone) {
  load(
      run_test::kernel(".local .align 4 .b8 depot[4];\nmov.u32 %a, 0;\nst.local.u32 [depot], %a;\n"
                       "LOOP:\nld.local.u32 %a, [depot];\nadd.u32 %a, %a, 1;\n"
                       "st.local.u32 [depot], %a;\nsetp.lt.u32 %x, %a, %n;\n@%x bra LOOP;\n" +
                       run_test::kStore));
  machine_->set_step_limit(4000);
  EXPECT_EQ(launch(1, 32, 50'000)[3], 50'000u);
  EXPECT_TRUE(findings_.empty()) << findings_[0].message;
}

// 2^24 ns, as a kernel that wants to take some milliseconds waits.
TEST_F(RunEndless, TimePassesFastForALoopThatOnlyLooksAtTheClock) {
  const auto out = run_loop(
      ".reg .b64 %c0, %c1;\nmov.u32 %a, 0;\nmov.u64 %c0, %clock64;\n",
      "add.u32 %a, %a, 1;\nmov.u64 %c1, %clock64;\nsub.u64 %c1, %c1, %c0;\nshr.u64 %c1, %c1, 24;\n"
      "setp.eq.u64 %x, %c1, 0;\n");
  EXPECT_GT(out[0], 100u);
  EXPECT_LT(out[0], 2000u);
}

TEST_F(RunEndless, ALoopThatWaitsForTheClockIsNone) {
  const auto out =
      run_loop(".reg .b64 %c0, %c1;\nmov.u32 %a, 1;\nmov.u64 %c0, %clock64;\n",
               "mov.u64 %c1, %clock64;\nsub.u64 %c1, %c1, %c0;\nshr.u64 %c1, %c1, 14;\n"
               "setp.eq.u64 %x, %c1, 0;\n");
  EXPECT_TRUE(findings_.empty()) << findings_[0].message;
  EXPECT_EQ(out[0], 1u);
}

}  // namespace
