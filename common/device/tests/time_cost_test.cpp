// SPDX-License-Identifier: MIT
// What instructions cost, and what ptxas makes of several.
#include "time_test.h"

namespace time_cost_test {
namespace {

using time_test::Feature;
using time_test::kKeep;
using time_test::Time;

// ---- pipes

TEST_F(Time, InstructionsGoToPipes) {
  const timing::Features nothing = timed("").features;
  const timing::Features all = timed(
                                   "add.f32 %a, %t, %n;\nfma.rn.f32 %b, %a, %a, %n;\n"
                                   "add.s32 %c, %t, %n;\nadd.f64 %p, %q, %s;\n"
                                   "ex2.approx.f32 %d, %a;\nshfl.sync.down.b32 %m, %t, 1, 31, -1;\n"
                                   "xor.b32 %c, %c, %a;\nbar.sync 0;\n"
                                   "st.global.u32 [%out], %c;\n")
                                   .features;
  EXPECT_EQ(all[Feature::kFp32] - nothing[Feature::kFp32], 2U);
  EXPECT_EQ(all[Feature::kInteger] - nothing[Feature::kInteger], 2U);
  EXPECT_EQ(all[Feature::kAlu] - nothing[Feature::kAlu], 1U) << "logic";
  EXPECT_EQ(all[Feature::kAdu] - nothing[Feature::kAdu], 1U) << "the barrier";
  EXPECT_EQ(all[Feature::kFp64] - nothing[Feature::kFp64], 1U);
  EXPECT_EQ(all[Feature::kSpecial] - nothing[Feature::kSpecial], 1U);
  EXPECT_EQ(all[Feature::kExchange] - nothing[Feature::kExchange], 1U);
  EXPECT_EQ(all[Feature::kIssued] - nothing[Feature::kIssued], 9U);
}

TEST_F(Time, AConstantIsAnOperandIfItsPlaceIsKnownAndAllLanesTakeIt) {
  const std::string table = ".const .align 4 .b8 table[64];\n";
  const std::string use = "add.s32 %a, %a, %t;\n" + kKeep;
  const auto loads = [&](const std::string& body) {
    return feature(Feature::kAdu, body, 1, 32, table) - feature(Feature::kAdu, kKeep, 1, 32, table);
  };
  EXPECT_EQ(loads("ld.const.u32 %a, [table+4];\n" + use), 0U);
  EXPECT_EQ(loads("mov.u64 %p, table;\nmul.wide.u32 %q, %t, 4;\nadd.s64 %p, %p, %q;\n"
                  "setp.lt.u32 %x, %t, 8;\n@%x ld.const.u32 %a, [%p];\n" +
                  use),
            1U);
  EXPECT_EQ(loads("setp.lt.u32 %x, %t, 8;\nmov.u32 %a, 0;\n@%x bra SKIP;\n"
                  "ld.const.u32 %a, [table];\nSKIP:\n" +
                  use),
            1U)
      << "a short side becomes conditional";
}

TEST_F(Time, AFunctionOfMathematicsIsManyInstructions) {
  const auto slots = [&](Feature pipe, const std::string& type, const std::string& function) {
    const std::string declared =
        ".extern .func (.param ." + type + " result) " + function + " (.param ." + type + " x);\n";
    const std::string call = "{\n.param ." + type + " x;\n.param ." + type + " result;\nst.param." +
                             type + " [x], " + (type == "b32" ? "%a" : "%p") +
                             ";\ncall.uni (result), " + function + ", (x);\n}\n";
    return feature(pipe, call, 1, 32, declared);
  };
  EXPECT_EQ(slots(Feature::kFp32, "b32", "sinf"), 25U);
  EXPECT_EQ(slots(Feature::kFp64, "b64", "exp"), 36U);
}

TEST_F(Time, AddressesOf64BitsTakeTwoInstructions) {
  EXPECT_EQ(issued("add.s64 %p, %q, %s;\n"), 2U);
  EXPECT_EQ(issued("setp.lt.s64 %x, %q, %s;\n"), 2U);
}

TEST_F(Time, WhatOnlyALowWordNeedsHas32Bits) {
  const std::string sum = "add.s64 %p, %q, %s;\nadd.s64 %p, %p, %q;\n";
  const std::string shared = "shl.b64 %p, %p, 2;\nst.shared.u32 [%p], %t;\n";
  EXPECT_EQ(issued(sum + "st.global.u32 [%p], %t;\n"), 5U);
  EXPECT_EQ(issued(sum + shared), 3U) << "two sums are one";
  EXPECT_EQ(issued("shr.u64 %p, %q, 6;\nand.b64 %p, %p, 1020;\nst.shared.u32 [%p], %t;\n"), 3U);
  EXPECT_EQ(issued("shr.u64 %p, %q, 6;\nst.global.u64 [%out], %p;\n"), 3U);
}

// ---- folding

TEST_F(Time, MovesAndConversionsOfAddressesAreFree) {
  EXPECT_EQ(issued("mov.b32 %a, 7;\ncvta.to.global.u64 %p, %out;\nmov.b64 %q, %p;\n"), 0U);
}

TEST_F(Time, AConstantOffsetIsPartOfTheAccess) {
  EXPECT_EQ(issued("add.s64 %p, %out, 16;\nst.global.u32 [%p], %t;\n"), 1U);
  EXPECT_EQ(issued("add.s64 %p, %out, %q;\nst.global.u32 [%p], %t;\n"), 3U);
}

TEST_F(Time, AProductAndItsSumAreOneInstruction) {
  EXPECT_EQ(issued("mul.lo.s32 %a, %t, %n;\nadd.s32 %b, %a, %t;\n"), 1U);
  EXPECT_EQ(issued("mul.wide.u32 %p, %t, 4;\nadd.s64 %p, %out, %p;\n"), 1U);
  EXPECT_EQ(issued("shl.b32 %a, %t, 2;\nadd.s32 %b, %a, %n;\n"), 1U);
  EXPECT_EQ(issued("mul.lo.s32 %a, %t, %n;\nadd.s32 %b, %n, %t;\n"), 2U) << "another's sum";
}

TEST_F(Time, TheProductOfTwoWordsIsOneInstructionWhereTheirSignsAreKnown) {
  const std::string product = "mul.lo.s64 %s, %p, %q;\n";
  EXPECT_EQ(issued(product), 4U);
  EXPECT_EQ(issued("cvt.s64.s32 %p, %t;\nshr.s64 %q, %out, 32;\n" + product), 1U);
  EXPECT_EQ(issued("cvt.s64.s32 %p, %t;\n" + product), 4U) << "any 64 bits";
  EXPECT_EQ(issued("shr.s64 %q, %out, 31;\n"), 2U) << "of both registers";
}

TEST_F(Time, AKnownValueOfSeveralNeedsAMove) {
  EXPECT_EQ(issued("mov.u32 %a, 7;\n"), 0U);
  EXPECT_EQ(issued("mov.u32 %a, 7;\nsetp.lt.u32 %x, %t, 8;\n@%x add.u32 %a, %t, %n;\n"), 3U);
}

TEST_F(Time, ARegionFetchesAParameterOnce) {
  const auto fetches = [&](const std::string& body) {
    return feature(Feature::kAdu, body) - feature(Feature::kAdu, "");
  };
  const std::string again = "ld.param.u64 %p, [out];\nst.global.u32 [%p], %t;\n";
  const std::string branch = "setp.lt.u32 %x, %t, 8;\n@%x bra SKIP;\n";
  EXPECT_EQ(fetches(again), 0U) << "the kernel has it";
  EXPECT_EQ(fetches(branch + again + "SKIP:\n"), 0U) << "the side is conditional";
  const std::string part = "red.global.add.u32 [%out], 1;\n";
  EXPECT_EQ(fetches(branch + part + again + again + "SKIP:\n"), 1U) << "another region";
}

TEST_F(Time, AnInstructionDoesTheWorkOfOneOther) {
  EXPECT_EQ(issued("mul.lo.s32 %a, %t, %n;\nmul.lo.s32 %b, %t, %t;\nadd.s32 %c, %a, %b;\n"), 2U);
  EXPECT_EQ(issued("mul.lo.s32 %a, %t, %n;\nadd.s32 %b, %a, %t;\nadd.s32 %c, %a, %n;\n"), 2U);
}

TEST_F(Time, TwoSumsAndTwoStepsOfLogicAreOne) {
  EXPECT_EQ(issued("add.s32 %a, %t, %n;\nadd.s32 %b, %a, %t;\n"), 1U);
  EXPECT_EQ(issued("and.b32 %a, %t, %n;\nxor.b32 %b, %a, %t;\n"), 1U);
  EXPECT_EQ(issued("and.b32 %a, %t, %n;\nadd.s32 %b, %a, %t;\n"), 2U);
}

TEST_F(Time, TheQuestionWhetherABitIsSetIsFree) {
  EXPECT_EQ(issued("and.b32 %a, %t, 4;\nsetp.ne.b32 %x, %a, 0;\n"), 1U);
  EXPECT_EQ(issued("and.b32 %a, %t, 4;\nsetp.ne.b32 %x, %a, 4;\n"), 2U);
}

TEST_F(Time, LogicOfPredicatesIsPartOfTheComparison) {
  EXPECT_EQ(issued("setp.lt.s32 %x, %t, 4;\nsetp.lt.s32 %y, %n, 4;\nand.pred %z, %x, %y;\n"), 2U);
}

// ---- branches

const std::string kCompare = "setp.lt.u32 %x, %t, 16;\n";

TEST_F(Time, AShortSideHasNoBranchAndIsIssuedByAllWarps) {
  const std::string side = "@%x bra SKIP;\nst.global.u32 [%out], %t;\nSKIP:\n";
  EXPECT_EQ(issued(kCompare + side), 2U);
  EXPECT_EQ(issued("setp.lt.u32 %x, %t, 32;\n" + side), 2U) << "no lane takes it";
}

TEST_F(Time, EachRegionMakesTheAddressOfSharedMemory) {
  const std::string tile = ".shared .align 16 .b8 tile[64];\n", address = "mov.u32 %a, tile;\n";
  const std::string store = "st.shared.u32 [%a], %t;\n";
  EXPECT_EQ(issued(address, tile), 0U) << "it is not used";
  EXPECT_EQ(issued(address + store, tile), 4U);
  EXPECT_EQ(issued(address + store + store, tile), 5U);
  EXPECT_EQ(issued(address + store + "bar.sync 0;\n" + store, tile), 6U) << "one region";
  const std::string loop = "mov.u32 %b, 0;\nLOOP:\nadd.u32 %b, %b, 1;\n" + store +
                           "setp.lt.u32 %x, %b, 2;\n@%x bra LOOP;\n";
  EXPECT_EQ(issued(address + loop, tile), 1 + 2 * (3 + 4U));
  const std::string wide =
      "ld.shared.u32 %b, [%a+4];\nld.shared.u32 %c, [%a];\nadd.u32 %a, %b, %c;\n" + kKeep;
  EXPECT_EQ(issued(address + wide, tile), 3 + 3U) << "the two loads are one";
}

TEST_F(Time, AConditionalAccessIsAWavefrontIfNoLaneMakesIt) {
  const std::string tile = ".shared .align 16 .b8 tile[64];\n";
  const auto wavefronts = [&](const std::string& first) {
    const std::string body = "mov.u32 %a, tile;\nsetp.lt.u32 %x, %t, " + first +
                             ";\n@%x bra SKIP;\nst.shared.u32 [%a], %t;\nSKIP:\n";
    return feature(Feature::kSharedWavefronts, body, 1, 32, tile);
  };
  EXPECT_EQ(wavefronts("32"), 1U);
  EXPECT_EQ(wavefronts("16"), 1U);
  EXPECT_EQ(wavefronts("0"), 1U);
}

TEST_F(Time, AnAtomicOrALongSideKeepsItsBranch) {
  // The branch, and the place where lanes meet again.
  EXPECT_EQ(issued(kCompare + "@%x bra SKIP;\nred.global.add.u32 [%out], 1;\nSKIP:\n"), 4U);
  std::string side;
  for (int i = 0; i < 8; ++i) side += "mad.lo.s32 %a, %a, %t, %n;\n";
  EXPECT_EQ(issued(kCompare + "@%x bra SKIP;\n" + side + "SKIP:\n"), 11U);
}

TEST_F(Time, EachRoundOfALoopBranches) {
  const std::string loop = "mov.u32 %a, 0;\nLOOP:\nadd.u32 %a, %a, 1;\nsetp.lt.u32 %x, %a, ";
  EXPECT_EQ(issued(loop + "7;\n@%x bra LOOP;\n") - issued(loop + "4;\n@%x bra LOOP;\n"), 9U);
}

// ---- the longest path

TEST_F(Time, InstructionsThatNeedEachOtherTakeTheirLatencies) {
  std::string dependent, independent;
  for (int i = 0; i < 16; ++i) {
    dependent += "fma.rn.f32 %a, %a, %t, %n;\n";
    independent += i % 2 == 0 ? "fma.rn.f32 %a, %t, %t, %n;\n" : "fma.rn.f32 %b, %t, %t, %n;\n";
  }
  EXPECT_EQ(cycles(independent + independent) - cycles(independent), 16U) << "one per cycle";
  EXPECT_EQ(cycles(dependent) - cycles(independent), 45U) << "15 times 3 more";
}

TEST_F(Time, AWarpsProductsWaitForItsTensorCore) {
  const std::string product =
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%a, %b, %c, %d}, "
      "{%t, %t, %t, %t}, {%t, %t}, {%n, %n, %n, %n};\n";
  EXPECT_EQ(cycles(product + product + product) - cycles(product), 12U) << "2048 of 333 a cycle";
}

TEST_F(Time, LoadsOverlapUnlessOneNeedsAnother) {
  EXPECT_EQ(loads("ld.global.u32 %a, [%out];\nld.global.u32 %b, [%out+4];\n"
                  "add.u32 %c, %a, %b;\nst.global.u32 [%out], %c;\n"),
            1U);
  EXPECT_EQ(
      loads("ld.global.u64 %p, [%out];\nadd.s64 %p, %out, %p;\nld.global.u32 %a, [%p];\n" + kKeep),
      2U);
  EXPECT_EQ(loads("ld.global.u32 %a, [%out];\n"), 0U) << "the kernel does not wait for it";
}

// %c has the row of %a, which is not used any more.
TEST_F(Time, WhatASideComputesDoesNotWaitForAnotherUseOfItsRegister) {
  EXPECT_EQ(loads("ld.global.u32 %a, [%out];\nadd.u32 %b, %a, 1;\nsetp.lt.u32 %x, %t, 8;\n"
                  "mov.u32 %d, 0;\n@%x bra SKIP;\nmad.lo.u32 %c, %t, 3, 1;\n"
                  "mul.wide.u32 %p, %c, 4;\nadd.s64 %p, %out, %p;\nld.global.u32 %d, [%p];\n"
                  "SKIP:\nadd.u32 %b, %b, %d;\nst.global.u32 [%out], %b;\n"),
            1U);
}

TEST_F(Time, LoadsOvertakeUsesAsFarAsRegistersSuffice) {
  const auto waits = [&](int num_loads) {
    std::string body;
    for (int i = 0; i < num_loads; ++i) {
      body += "ld.global.v4.u32 {%a, %b, %c, %d}, [%out+" + std::to_string(16 * i) +
              "];\nadd.u32 %m, %m, %a;\n";
    }
    return loads(body + "st.global.u32 [%out], %m;\n");
  };
  EXPECT_EQ(waits(8), 1U) << "32 words";
  EXPECT_EQ(waits(9), 2U);
}

TEST_F(Time, LoadsWaitForRegistersThatOtherValuesHave) {
  const auto waits = [&](int num_values) {
    std::string before = ".reg .b32 %v<" + std::to_string(num_values) + ">;\n", after;
    for (int i = 0; i < num_values; ++i) {
      const std::string value = "%v" + std::to_string(i);
      before += "add.u32 " + value + ", %t, " + std::to_string(i) + ";\n";
      after += "st.global.u32 [%out], " + value + ";\n";
    }
    before += "mov.u32 %m, 0;\nLOOP:\n";
    for (int i = 0; i < 8; ++i) {
      before += "ld.global.v4.u32 {%a, %b, %c, %d}, [%out+" + std::to_string(16 * i) +
                "];\nadd.u32 %m, %m, %a;\n";
    }
    return loads(before + "setp.lt.u32 %x, %m, 0;\n@%x bra LOOP;\n" + after);
  };
  EXPECT_EQ(waits(150), 1U);
  EXPECT_EQ(waits(160), 2U) << "too few for 32 words";
}

TEST_F(Time, LoadsFollowStoresThatTheyMayNeed) {
  const std::string store =
      "ld.global.u32 %a, [%out];\nadd.s64 %p, %out, %q;\n"
      "st.global.u32 [%p], %a;\n";
  const std::string use = "add.u32 %b, %b, 1;\nst.global.u32 [%out+8], %b;\n";
  EXPECT_EQ(loads(store + "ld.global.u32 %b, [%out+4];\n" + use), 2U);
  EXPECT_EQ(loads(store + "ld.global.nc.u32 %b, [%out+4];\n" + use), 1U);
  const std::string step = "ld.global.u32 %a, [%p];\nadd.u32 %a, %a, 1;\nst.global.u32 [%p], %a;\n";
  EXPECT_EQ(loads("mov.u64 %p, %out;\n" + step + step), 1U) << "one word";
  EXPECT_EQ(loads("mov.u64 %p, %out;\n" + step + "add.s64 %p, %p, %q;\n" + step), 2U)
      << "the register has another address then";
}

TEST_F(Time, ALoadWaitsWhereItsRegisterIsRead) {
  const auto with_loop = [&](const std::string& in_loop) {
    return loads("ld.global.u32 %a, [%out];\nmov.u32 %m, 0;\nLOOP:\nadd.u32 %m, %m, 1;\n" +
                 in_loop +
                 "setp.lt.u32 %x, %m, 3;\n@%x bra LOOP;\nld.global.u32 %b, [%out+4];\n"
                 "add.u32 %a, %a, %b;\n" +
                 kKeep);
  };
  EXPECT_EQ(with_loop(""), 1U) << "both are under way at a time";
  EXPECT_EQ(with_loop("add.u32 %c, %c, %a;\n"), 2U);
  EXPECT_EQ(with_loop("mov.u32 %a, %m;\n"), 1U) << "what is overwritten is awaited by nothing";
}

TEST_F(Time, ConditionalLoadsOverlap) {
  std::string body;
  for (const std::string reg : {"%a", "%b", "%c", "%d"}) {
    body += "mov.u32 " + reg + ", 0;\nsetp.ge.u32 %x, %t, 30;\n@%x bra SKIP" + reg.substr(1) +
            ";\nld.global.u32 " + reg + ", [%out];\nSKIP" + reg.substr(1) + ":\n";
  }
  body += "add.u32 %a, %a, %b;\nadd.u32 %c, %c, %d;\nadd.u32 %a, %a, %c;\n" + kKeep;
  EXPECT_EQ(loads(body), 1U);
}

TEST_F(Time, ALabelOfALinePartsNothing) {
  const std::string body =
      "mov.u32 %a, 0;\nsetp.ge.u32 %x, %t, 30;\n@%x bra SKIP;\nld.global.u32 %a, [%out];\n"
      "LINE:\nadd.u32 %a, %a, 1;\nSKIP:\nld.global.u32 %b, [%out+4];\nadd.u32 %a, %a, %b;\n" +
      kKeep;
  EXPECT_EQ(loads(body), 1U);
}

TEST_F(Time, BothSidesOfABranchMayHaveWrittenARegister) {
  const std::string body =
      "setp.lt.u32 %x, %t, 16;\n@%x bra OTHER;\nld.global.u32 %a, [%out];\nbra MEET;\n"
      "OTHER:\nmov.u32 %a, 1;\nMEET:\nadd.u32 %a, %a, 1;\n" +
      kKeep;
  EXPECT_EQ(loads(body), 1U);
}

}  // namespace
}  // namespace time_cost_test
