// SPDX-License-Identifier: MIT
// Barriers that threads bypass, and polls by plain loads: on PTX of a few lines.
#include "check/checker.h"
#include "run_test.h"

namespace run_test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Line numbers are those of `.loc`. Blocks of code in front of the barrier, and behind it.
class CheckBarrier : public Run {
 protected:
  void run(const std::string& body, unsigned num_threads, unsigned num_blocks = 1,
           const std::string& before = "") {
    report::take_findings();
    load(kernel(body, ".file 1 \"/home/a.cu\"\n" + before));
    machine_->set_monitors({&checker});
    checker.streams().begin_work(0);
    launch(num_blocks, num_threads);
    checker.streams().end_work();
  }
  void expect_none() const {
    for (const report::Finding& finding : findings_) ADD_FAILURE() << finding.message;
  }
  void expect(report::Kind kind, std::uint32_t line, const std::string& part) const {
    ASSERT_EQ(findings_.size(), 1u) << (findings_.empty() ? "" : findings_[0].message);
    EXPECT_STREQ(report::name_of(findings_[0].kind), report::name_of(kind));
    EXPECT_EQ(findings_[0].line, line);
    EXPECT_TRUE(contains(findings_[0].message, part)) << findings_[0].message;
  }

  check::Checker checker;
};

const std::string kWriteBack = ".loc 1 9 1\nmov.u32 %a, 1;\n" + kStore;

TEST_F(CheckBarrier, AnEarlyReturnIsAllowed) {
  run(".loc 1 4 1\nsetp.ge.u32 %x, %t, 16;\n@%x bra DONE;\n.loc 1 6 1\nbar.sync 0;\n" + kWriteBack +
          "DONE:\n",
      64);
  expect_none();
}

TEST_F(CheckBarrier, ThreadsThatGoPastItAndWriteBack) {
  run(".loc 1 4 1\nsetp.ge.u32 %x, %t, 16;\n@%x bra PAST;\n.loc 1 6 1\nbar.sync 0;\nPAST:\n" +
          kWriteBack,
      64);
  expect(report::Kind::kBarrierDivergence, 6,
         "thread 16 of block 0 went past this barrier to line 9 and left the kernel, while other "
         "threads of its block waited here");
}

TEST_F(CheckBarrier, WholeWarpsThatGoPastIt) {
  run(".loc 1 4 1\nsetp.ge.u32 %x, %t, 32;\n@%x bra PAST;\n.loc 1 6 1\nbar.sync 0;\nPAST:\n" +
          kWriteBack,
      64);
  expect(report::Kind::kBarrierDivergence, 6, "thread 32 of block 0 went past this barrier");
}

TEST_F(CheckBarrier, ABranchThatAllTakeIsFine) {
  run(".loc 1 4 1\nsetp.ge.u32 %x, %t, 99;\n@%x bra PAST;\n.loc 1 6 1\nbar.sync 0;\nPAST:\n" +
          kWriteBack,
      64);
  expect_none();
}

TEST_F(CheckBarrier, DifferentWorkBetweenTwoBarriersIsFine) {
  run(".loc 1 4 1\nbar.sync 0;\nsetp.ge.u32 %x, %t, 16;\n@%x bra ELSE;\nmov.u32 %a, 1;\nbra JOIN;\n"
      "ELSE:\nmov.u32 %a, 2;\nJOIN:\n.loc 1 6 1\nbar.sync 0;\n" +
          kWriteBack,
      64);
  expect_none();
}

TEST_F(CheckBarrier, ALoopWithTheBarrierInABranch) {  // a tree reduction
  run("mov.u32 %b, 1;\nLOOP:\n.loc 1 4 1\nsub.u32 %c, %b, 1;\nand.b32 %c, %c, %t;\n"
      "setp.ne.u32 %x, %c, 0;\n@%x bra NEXT;\n.loc 1 6 1\nbar.sync 0;\nNEXT:\n.loc 1 7 1\n"
      "shl.b32 %b, %b, 1;\nsetp.lt.u32 %y, %b, 64;\n@%y bra LOOP;\n",
      64);
  ASSERT_FALSE(findings_.empty());
  EXPECT_EQ(findings_[0].line, 6u);
  EXPECT_TRUE(contains(findings_[0].message, "went past this barrier to line 7"))
      << findings_[0].message;
}

TEST_F(CheckBarrier, ALoopThatSomeLeaveEarlier) {
  run("mov.u32 %b, 0;\nLOOP:\n.loc 1 4 1\nbar.sync 0;\nadd.u32 %b, %b, 1;\n"
      "setp.lt.u32 %y, %b, %t;\n@%y bra LOOP;\n" +
          kWriteBack,
      3);
  expect(report::Kind::kBarrierDivergence, 4, "went past this barrier to line 9");
}

TEST_F(CheckBarrier, ALoopThatSomeLeaveEarlierAndReturn) {
  run("mov.u32 %b, 0;\nLOOP:\n.loc 1 4 1\nbar.sync 0;\nadd.u32 %b, %b, 1;\n"
      "setp.lt.u32 %y, %b, %t;\n@%y bra LOOP;\n",
      3);
  expect_none();
}

TEST_F(CheckBarrier, APredicatedBarrier) {
  run(".loc 1 4 1\nsetp.lt.u32 %x, %t, 16;\n.loc 1 6 1\n@%x bar.sync 0;\n" + kWriteBack, 32);
  expect(report::Kind::kBarrierDivergence, 6, "thread 16 of block 0 went past this barrier");
}

TEST_F(CheckBarrier, ABarrierForTheWarpsThatItNames) {
  const std::string text =
      ".loc 1 4 1\nsetp.lt.u32 %x, %t, 32;\n@%x bra PAST;\n.loc 1 6 1\nbar.sync 1, 32;\nPAST:\n";
  run(text + kWriteBack, 64);
  expect_none();
}

TEST_F(CheckBarrier, AVoteThatSomeSkip) {
  run(".loc 1 4 1\nsetp.ge.u32 %x, %t, 16;\n@%x bra PAST;\n.loc 1 6 1\n"
      "bar.red.popc.u32 %b, 0, %x;\nPAST:\n" +
          kWriteBack,
      64);
  expect(report::Kind::kBarrierDivergence, 6, "thread 16 of block 0 went past this barrier");
}

// A function whose threads from `n` on return in front of its barrier.
const std::string kHelper =
    ".func helper(.param .b32 n)\n{\n.reg .b32 %h, %i;\n.reg .pred %w;\nld.param.b32 %h, [n];\n"
    "mov.u32 %i, %tid.x;\n.loc 1 20 1\nsetp.ge.u32 %w, %i, %h;\n@%w bra EXIT;\n.loc 1 22 1\n"
    "bar.sync 0;\nEXIT:\nret;\n}\n";
std::string call_helper(int num_threads) {
  return "{\n.param .b32 p0;\nmov.u32 %a, " + std::to_string(num_threads) +
         ";\nst.param.b32 [p0], %a;\n.loc 1 8 1\ncall.uni helper, (p0);\n}\n";
}

TEST_F(CheckBarrier, ThreadsThatLeaveAFunctionInFrontOfItsBarrier) {
  run(call_helper(16) + kWriteBack, 64, 1, kHelper);
  expect(report::Kind::kBarrierDivergence, 22,
         "thread 16 of block 0 went past this barrier to line 9");
}

TEST_F(CheckBarrier, AFunctionWithABarrierThatAllThreadsCallTwice) {
  run(call_helper(64) + call_helper(64) + kWriteBack, 64, 1, kHelper);
  expect_none();
}

TEST_F(CheckBarrier, ThreadsThatReturnInFrontOfTheCall) {
  run(".loc 1 4 1\nsetp.ge.u32 %x, %t, 16;\n@%x bra DONE;\n" + call_helper(16) + kWriteBack +
          "DONE:\n",
      64, 1, kHelper);
  expect_none();
}

TEST_F(CheckBarrier, ThreadsThatSkipTheCall) {
  run(".loc 1 4 1\nsetp.ge.u32 %x, %t, 16;\n@%x bra PAST;\n" + call_helper(16) + "PAST:\n" +
          kWriteBack,
      64, 1, kHelper);
  expect(report::Kind::kBarrierDivergence, 22, "went past this barrier to line 9");
}

const std::string kWait =
    ".loc 1 4 1\nsetp.ne.u32 %x, %t, 0;\n@%x bra WRITER;\n"
    "LOOP:\n.loc 1 5 1\nld.global.u32 %a, [%out+1024];\nsetp.eq.u32 %y, %a, 0;\n@%y bra LOOP;\n"
    "bra DONE;\nWRITER:\nsetp.ne.u32 %z, %t, 32;\n@%z bra DONE;\n.loc 1 8 1\n";

TEST_F(CheckBarrier, APollByPlainLoadsOfWhatAnAtomicWrites) {
  run(kWait + "atom.global.add.u32 %b, [%out+1024], 1;\nDONE:\n", 64);
  expect(report::Kind::kRace, 5,
         "the loop waits for this by a plain load, which a compiler may make once");
}

TEST_F(CheckBarrier, APollByVolatileLoadsIsFine) {
  std::string text = kWait + "atom.global.add.u32 %b, [%out+1024], 1;\nDONE:\n";
  text.replace(text.find("ld.global"), 9, "ld.volatile.global");
  run(text, 64);
  expect_none();
}

// As long as a wait, but there is nothing to wait for, nor a record of it.
TEST_F(CheckBarrier, ALongLoopOfLoadsFarPastAllMemory) {
  run("mov.u32 %b, 0;\nLOOP:\n.loc 1 5 1\nld.global.u32 %a, [%out+1073741824];\n"
      "add.u32 %b, %b, 1;\nsetp.lt.u32 %y, %b, 10000;\n@%y bra LOOP;\n",
      32);
  expect(report::Kind::kOutOfBounds, 5, "");
}

}  // namespace
}  // namespace run_test
