// SPDX-License-Identifier: MIT
#include <algorithm>

#include "run_test.h"

namespace {

using run_test::kernel;
using run_test::kStore;

class RunControl : public run_test::Run {};

TEST_F(RunControl, GivesEachThreadItsIndex) {
  load(kernel("mov.u32 %a, %t;\n" + kStore));
  EXPECT_TRUE(refusals_.empty());
  const auto out = launch(3, 40);
  for (unsigned i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 40);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RunControl, BringsLanesTogetherBehindABranch) {
  // activemask behind the branch shows whether all 32 lanes are one part again.
  load(
      kernel("and.b32 %b, %t, 1;\nsetp.eq.u32 %x, %b, 1;\nmov.u32 %c, 0;\n"
             "@%x bra ODD;\nadd.u32 %c, %t, 100;\nbra DONE;\nODD: add.u32 %c, %t, 200;\n"
             "DONE: activemask.b32 %a;\n" +
             kStore));
  for (const std::uint32_t mask : launch(1, 32)) EXPECT_EQ(mask, ~0U);
}

TEST_F(RunControl, BringsLanesTogetherBehindABranchToAMistake) {
  load(
      kernel("setp.eq.u32 %x, %n, 1;\nand.b32 %b, %t, 1;\nsetp.eq.u32 %y, %b, 1;\n"
             "@%y bra ODD;\nmov.u32 %c, 1;\nbra DONE;\nODD: @%x bra BAD;\nmov.u32 %c, 2;\n"
             "DONE: activemask.b32 %a;\n" +
             kStore + "ret;\nBAD: trap;\n"));
  for (const std::uint32_t mask : launch(1, 32)) EXPECT_EQ(mask, ~0U);
}

TEST_F(RunControl, LetsLanesLeaveALoopOneByOne) {
  load(
      kernel("mov.u32 %a, 0;\nLOOP: add.u32 %a, %a, 1;\nsetp.lt.u32 %x, %a, %t;\n@%x bra LOOP;\n"
             "activemask.b32 %b;\nadd.u32 %a, %a, 0;\nsetp.ne.u32 %y, %b, 0xffffffff;\n"
             "@%y mov.u32 %a, 77777;\n" +
             kStore));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i == 0 ? 1 : i);
}

TEST_F(RunControl, ElectsALaneWithoutItsNumber) {
  load(kernel("mov.u32 %a, 0;\nelect.sync _|%x, 0xffffffff;\n@%x mov.u32 %a, 1;\n" + kStore));
  const auto out = launch(1, 32);
  EXPECT_EQ(std::ranges::count(out, 1U), 1);
}

TEST_F(RunControl, EndsLanesThatExitEarly) {
  load(kernel("setp.ge.u32 %x, %t, 5;\n@%x ret;\nactivemask.b32 %a;\n" + kStore));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 5 ? 0x1f : 0);
}

TEST_F(RunControl, FollowsNestedBranches) {
  load(
      kernel("mov.u32 %a, 0;\nsetp.lt.u32 %x, %t, 16;\n@!%x bra END;\nadd.u32 %a, %a, 1;\n"
             "setp.lt.u32 %y, %t, 8;\n@!%y bra INNER;\nadd.u32 %a, %a, 10;\n"
             "INNER: add.u32 %a, %a, 100;\nEND: add.u32 %a, %a, 1000;\n" +
             kStore));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i < 8 ? 1111U : i < 16 ? 1101U : 1000U);
  }
}

constexpr const char* kFunction =
    ".func (.param .b32 r) add_one(.param .b32 x)\n{\n.reg .b32 %v;\n.reg .pred %p;\n"
    "ld.param.b32 %v, [x];\nsetp.gt.u32 %p, %v, 9;\n@%p bra BIG;\nadd.u32 %v, %v, 1;\n"
    "st.param.b32 [r], %v;\nret;\nBIG: add.u32 %v, %v, 1000;\nst.param.b32 [r], %v;\nret;\n}\n";
constexpr const char* kCall =
    "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %t; call.uni (r0), add_one, (p0); "
    "ld.param.b32 %a, [r0]; }\n";

TEST_F(RunControl, CallsAFunctionWhoseLanesReturnApart) {
  load(kernel(kCall +
                  std::string("activemask.b32 %b;\nsetp.ne.u32 %y, %b, 0xffffffff;\n"
                              "@%y mov.u32 %a, 7;\n") +
                  kStore,
              kFunction));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i > 9 ? i + 1000 : i + 1);
}

TEST_F(RunControl, CallsThroughPointersThatDifferByLane) {
  const std::string functions =
      ".func (.param .b32 r) one(.param .b32 x)\n{\n.reg .b32 %v;\nmov.u32 %v, 1;\n"
      "st.param.b32 [r], %v;\nret;\n}\n.func (.param .b32 r) two(.param .b32 x)\n{\n.reg .b32 %v;\n"
      "mov.u32 %v, 2;\nst.param.b32 [r], %v;\nret;\n}\n";
  load(
      kernel("mov.u64 %p, one;\nmov.u64 %q, two;\nand.b32 %b, %t, 1;\nsetp.eq.u32 %x, %b, 0;\n"
             "selp.b64 %s, %p, %q, %x;\n{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %t;\n"
             "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
             "call (r0), %s, (p0), P;\nld.param.b32 %a, [r0]; }\n" +
                 kStore,
             functions));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], 1 + i % 2);
}

TEST_F(RunControl, CallsAFunctionThatOnlyATableNames) {
  load(
      kernel("ld.global.u64 %s, [table+8];\n{ .param .b32 r0;\n"
             "P: .callprototype (.param .b32 _) _ ();\ncall (r0), %s, (), P;\n"
             "ld.param.b32 %a, [r0]; }\n" +
                 kStore,
             ".func (.param .b32 r) seven();\n.global .align 8 .u64 table[2] = {0, seven};\n"
             ".func (.param .b32 r) seven()\n{\n.shared .align 4 .b8 room[4];\n.reg .b32 %v;\n"
             "st.shared.u32 [room], 7;\nld.shared.u32 %v, [room];\n"
             "st.param.b32 [r], %v;\nret;\n}\n"));
  const code::Symbol& table = *program_->find_symbol("table");
  const std::vector<std::byte> contents = code::initial_contents(*program_, table);
  std::memcpy(reinterpret_cast<void*>(table.address), contents.data(), contents.size());
  for (const std::uint32_t word : launch(1, 32)) EXPECT_EQ(word, 7U);
  EXPECT_EQ(program_->find("k")->shared_bytes, 4U);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RunControl, NamesTheNearestLineOfWhatHasNone) {
  load(
      kernel(".loc 1 0 0\nsetp.eq.u32 %x, %t, 0;\nvote.sync.ballot.b32 %a, %x, 0x80000000;\n"
             ".loc 1 7 3\nadd.u32 %a, %a, 1;\n.loc 1 8 3\n" +
                 kStore,
             ".file 1 \"/home/student/program.cu\"\n"));
  launch(1, 1);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].line, 7U);
}

// Half of a warp waits in one function while the other half begins another one.
TEST_F(RunControl, KeepsTheRegistersOfLanesThatWaitInAnotherFunction) {
  const auto function = [](const std::string& name, const std::string& added) {
    return ".func (.param .b32 r) " + name +
           "(.param .b32 x)\n{\n.reg .b32 %v;\nld.param.b32 %v, [x];\nbar.sync 0;\n"
           "add.u32 %v, %v, " +
           added + ";\nst.param.b32 [r], %v;\nret;\n}\n";
  };
  const auto call = [](const std::string& name) {
    return "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %t; call.uni (r0), " + name +
           ", (p0); ld.param.b32 %a, [r0]; }\n";
  };
  load(kernel("setp.lt.u32 %x, %t, 16;\n@%x bra LOW;\n" + call("high") +
                  "bra DONE;\nLOW: " + call("low") + "DONE:\n" + kStore,
              function("low", "1000") + function("high", "7")));
  const auto out = launch(1, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? i + 1000 : i + 7);
}

TEST_F(RunControl, EndsAnEndlessLoopWithItsLine) {
  load(kernel("L: bra L;\n"));
  machine_->set_step_limit(1000);
  launch(1, 32);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].kind, report::Kind::kDeadlock);
  EXPECT_NE(machine_->error(), 0);
}

TEST_F(RunControl, EndsTheKernelAtATrap) {
  load(kernel("setp.eq.u32 %x, %t, 3;\n@%x trap;\n"));
  launch(1, 32);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].kind, report::Kind::kCrash);
  EXPECT_EQ(findings_[0].message, "thread 3 of block 0 executed __trap()");
}

TEST_F(RunControl, EndsTheKernelAtAnInstructionThatNothingExecutes) {
  load(kernel("setp.eq.u32 %x, %n, 1;\n@%x bra BAD;\nmov.u32 %a, 5;\n" + kStore +
              "ret;\nBAD: tcgen05.wait.sync.aligned;\n"));
  EXPECT_EQ(refusals_.size(), 1U);
  EXPECT_EQ(launch(1, 1, 0)[0], 5U);
  EXPECT_TRUE(findings_.empty());
  launch(1, 1, 1);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].kind, report::Kind::kLaunchError);
}

TEST_F(RunControl, RefusesInstructionsThatLackAnOperandOrWriteAParameter) {
  for (const char* const line :
       {"ld.global.u32 %a;\n", "mov.u32 %a;\n", "st.param.u32 [n], %t;\n"}) {
    load(kernel(line));
    EXPECT_EQ(refusals_.size(), 1U) << line;
    launch(1, 32);
    ASSERT_EQ(findings_.size(), 1U) << line;
    EXPECT_EQ(findings_[0].kind, report::Kind::kLaunchError) << line;
  }
}

TEST_F(RunControl, BoundsWhatTheHardwareDoesToBarrierObjects) {
  load(kernel("mov.u32 %a, 1000000;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%a];\n"));
  launch(1, 32);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].message,
            "thread 0 of block 0 writes 8 bytes outside of its block's shared memory");
}

TEST_F(RunControl, BoundsReadsOfParametersLaneByLane) {
  load(kernel("mul.lo.u32 %b, %t, 4;\nld.param.u32 %a, [%b];\n"));  // those of 12 bytes
  launch(1, 32);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].message,
            "thread 3 of block 0 reads 4 bytes outside of the kernel's parameters");
}

}  // namespace
