// SPDX-License-Identifier: MIT
// What is noted of launches: where warps wait for each other, and what becomes of requests.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "time_test.h"

namespace time_watcher_test {
namespace {

using time_test::Feature;
using time_test::kKeep;
using time_test::Time;

const std::string kTile = ".shared .align 16 .b8 tile[8192];\n";
// A load that the rest waits for.
const std::string kWait = "ld.global.u32 %a, [%out];\nadd.u32 %a, %a, 1;\n" + kKeep;
const std::string kWaitAgain =
    "ld.global.u32 %b, [%out+8];\nadd.u32 %b, %b, 1;\n"
    "st.global.u32 [%out+8], %b;\n";
const std::string kOwnAddress = "mul.wide.u32 %p, %t, 4;\nadd.s64 %p, %out, %p;\n";

std::string in_first_warp(const std::string& body) {
  return "setp.ge.u32 %x, %t, 32;\n@%x bra SKIP;\n" + body +
         "red.global.add.u32 [%out], 1;\nSKIP:\n";
}

// ---- warps, blocks, launches

TEST_F(Time, ABarrierJoinsTheWarpsOfABlock) {
  EXPECT_EQ(loads(in_first_warp(kWait) + kWaitAgain, 1, 64), 2U) << "of the first warp";
  const std::string second = "setp.lt.u32 %y, %t, 32;\n@%y bra END;\n" + kWaitAgain +
                             "red.global.add.u32 [%out], 1;\nEND:\n";
  EXPECT_EQ(loads(in_first_warp(kWait) + second, 1, 64), 1U) << "at a time";
  EXPECT_EQ(loads(in_first_warp(kWait) + "bar.sync 0;\n" + second, 1, 64), 2U);
  EXPECT_EQ(loads(in_first_warp(kWait) + "bar.sync 1, 64;\n" + second, 1, 64), 2U);
  EXPECT_EQ(feature(Feature::kBarriers, "bar.sync 0;\nbar.sync 1, 64;\n", 3, 64), 6U);
}

TEST_F(Time, PathsAreSumsOverBlocksAndTheLongestOfALaunch) {
  const std::string body = "mov.u32 %m, %ctaid.x;\nsetp.ne.u32 %x, %m, 0;\n@%x bra SKIP;\n" +
                           kWait + "red.global.add.u32 [%out], 1;\nSKIP:\n" + kWaitAgain;
  const timing::Shape shape = timed(body, 3, 32);
  EXPECT_EQ(shape.features[Feature::kBlocks], 3U);
  EXPECT_EQ(shape.features[Feature::kWarps], 3U);
  EXPECT_EQ(shape.features[Feature::kChainLoads], 4U);
  EXPECT_EQ(shape.features[Feature::kLongestLoads], 2U);
}

TEST_F(Time, LaunchesOfOneShapeAreSummed) {
  load(run_test::kernel(kWait));
  machine_->set_monitors({&watcher_});
  watcher_.set_watching(true);
  launch(1, 32);
  launch(1, 32);
  launch(2, 32);
  const std::vector<timing::Shape> shapes = watcher_.take();
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].features[Feature::kLaunches], 2U);
  EXPECT_EQ(shapes[0].features[Feature::kGlobalLoads], 2U);
  EXPECT_EQ(shapes[1].grid.x, 2U);
  EXPECT_TRUE(watcher_.take().empty());
}

TEST_F(Time, NothingIsNotedUnlessAsked) {
  load(run_test::kernel(kWait));
  machine_->set_monitors({&watcher_});
  launch(1, 32);
  watcher_.begin_copy("cudaMemset");
  EXPECT_TRUE(watcher_.take().empty());
}

TEST_F(Time, CopiesAreWaitedForByGroup) {
  const std::string address =
      "mov.u32 %a, tile;\nshl.b32 %b, %t, 4;\nadd.u32 %a, %a, %b;\n"
      "mul.wide.u32 %p, %t, 16;\nadd.s64 %p, %out, %p;\n";
  const std::string copy = "cp.async.cg.shared.global [%a], [%p], 16;\ncp.async.commit_group;\n";
  const std::string wait = "cp.async.wait_group 0;\n";
  EXPECT_EQ(loads(address + copy + copy + wait, 1, 32, kTile), 1U);
  EXPECT_EQ(loads(address + copy + wait + copy + wait, 1, 32, kTile), 2U);
  EXPECT_EQ(loads(address + copy + "cp.async.wait_group 1;\n", 1, 32, kTile), 0U);
  EXPECT_EQ(feature(Feature::kL1Sectors, address + copy + wait, 1, 32, kTile), 16U / 2)
      << "it passes the first cache by";
}

// What is between two stops of a region counts there, and not where the region begins or ends.
TEST_F(Time, WorkAfterACommitHidesTheCopy) {
  const std::string copy =
      "mov.u32 %a, tile;\nmul.wide.u32 %p, %t, 16;\nadd.s64 %p, %out, %p;\n"
      "cp.async.cg.shared.global [%a], [%p], 16;\n";
  std::string work;
  for (int i = 0; i < 200; ++i) work += "mul.lo.u32 %b, %b, %b;\n";
  const std::string keep = "st.global.u32 [%out], %b;\n";
  const std::string commit = "cp.async.commit_group;\n", wait = "cp.async.wait_group 0;\n";
  EXPECT_EQ(loads(copy + commit + work + keep + wait, 1, 32, kTile), 0U);
  EXPECT_EQ(loads(copy + commit + wait + work + keep, 1, 32, kTile), 1U);
  EXPECT_EQ(loads(copy + work + keep + commit + wait, 1, 32, kTile), 1U);
  EXPECT_EQ(loads(copy + commit + work + keep + "cp.async.wait_all;\n", 1, 32, kTile), 0U)
      << "its own group has no copies";
}

// 32 warps of 100 products each: a multiprocessor issues 2 a cycle.
TEST_F(Time, ABlockTakesAsLongAsItsMultiprocessorForItsWork) {
  std::string work;
  for (int i = 0; i < 100; ++i) work += "mul.lo.u32 %b, %t, %b;\n";
  const std::string body = work + "bar.sync 0;\nst.global.u32 [%out], %b;\n";
  const auto cycles = [&](unsigned num_threads) {
    return timed(body, 1, num_threads).features[Feature::kChainCycles];
  };
  EXPECT_LT(cycles(32), 600U);
  EXPECT_EQ(cycles(64), cycles(32)) << "warps wait side by side";
  EXPECT_GE(cycles(1024), 32 * 100 / 2U);
}

// All warps wait together for what they load first after a barrier.
TEST_F(Time, NoWarpHidesAnothersFirstWaitAfterABarrier) {
  const std::string tile = ".shared .align 16 .b8 tile[4096];\n";
  const std::string address = "mul.wide.u32 %p, %t, 4;\nmov.u64 %q, tile;\nadd.s64 %p, %p, %q;\n";
  const std::string load = "bar.sync 0;\nld.shared.u32 %a, [%p];\n";
  std::string work;
  for (int i = 0; i < 100; ++i) work += "mul.lo.u32 %b, %t, %b;\n";
  const std::string use = "add.u32 %b, %b, %a;\n", keep = "st.global.u32 [%out], %b;\n";
  const auto cycles = [&](const std::string& body) {
    return timed(address + body + "bar.sync 0;\n" + keep, 1, 1024, 0, tile)
        .features[Feature::kChainCycles];
  };
  const std::uint64_t waiting = cycles(load + use + work), hidden = cycles(load + work + use);
  EXPECT_GE(waiting, hidden + 30) << "the latency, and the words of 32 warps";
  EXPECT_LE(waiting, hidden + 30 + 32);
}

TEST_F(Time, TensorCoresCountProductsOf16Bits) {
  EXPECT_EQ(feature(Feature::kTensor,
                    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%a, %b, %c, %d}, "
                    "{%t, %t, %t, %t}, {%t, %t}, {%a, %b, %c, %d};\n"),
            16U * 8 * 16);
  EXPECT_EQ(feature(Feature::kTensor,
                    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%a, %b, %c, %d}, "
                    "{%t, %t, %t, %t}, {%t, %t}, {%a, %b, %c, %d};\n"),
            2U * 16 * 8 * 8);
  const std::string of_8_bits =
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%a, %b, %c, %d}, "
      "{%t, %t, %t, %t}, {%t, %t}, {%a, %b, %c, %d};\n";
  EXPECT_EQ(feature(Feature::kTensor, of_8_bits), 16U * 8 * 32) << "ptxas converts them";
}

// ---- lines

TEST_F(Time, ALineHasWhatItIssuesAndTheWaitsForItsResults) {
  const std::string body =
      ".loc 1 5 0\nld.global.u32 %a, [%out];\n.loc 1 6 0\nadd.u32 %a, %a, 1;\n" + kKeep +
      ".loc 1 7 0\nbar.sync 0;\n";
  const std::string file = ".file 1 \"/home/a.cu\"\n";
  const timing::Shape shape = timed(body, 1, 64, 0, file);
  timing::Path path;
  std::uint64_t issued = 0;
  for (const timing::LineCost& line : shape.lines) {
    path += line.path;
    issued += line.issued;
    EXPECT_EQ(line.path.loads, line.line == 5 ? 2 : 0) << "line " << line.line;
    if (line.line == 6) {
      EXPECT_EQ(line.issued, 4U) << "two instructions of two warps";
    }
  }
  EXPECT_EQ(issued, shape.features[Feature::kIssued]);
  EXPECT_EQ(path.cycles, 2 * static_cast<std::int64_t>(shape.features[Feature::kChainCycles]));
}

TEST_F(Time, ABarriersLineHasWhatWarpsWaitThereForOthers) {
  const timing::Shape shape =
      timed(".loc 1 5 0\n" + in_first_warp(kWait) + ".loc 1 7 0\nbar.sync 0;\n", 1, 64, 0,
            ".file 1 \"/home/a.cu\"\n");
  const auto barrier = std::ranges::find(shape.lines, 7U, &timing::LineCost::line);
  ASSERT_NE(barrier, shape.lines.end());
  EXPECT_EQ(barrier->path.loads, 1);
}

// ---- memory

TEST_F(Time, AFirstCacheHasWhatABlockHasReadLately) {
  const std::string read = kOwnAddress + "ld.global.u32 %a, [%p];\n";
  const timing::Features once = timed(read + read, 1, 32).features;
  EXPECT_EQ(once[Feature::kGlobalLoads], 2U);
  EXPECT_EQ(once[Feature::kL1Sectors], 8U);
  EXPECT_EQ(once[Feature::kL2ReadSectors], 4U);
  EXPECT_EQ(feature(Feature::kL2ReadSectors, read, 2, 32), 8U) << "each block has its own";
  EXPECT_EQ(feature(Feature::kL2ReadSectors, "ld.global.u32 %a, [%out];\n", 1, 128), 1U);
  EXPECT_EQ(feature(Feature::kL2ReadSectors, "ld.volatile.global.u32 %a, [%out];\n", 1, 128), 4U);
}

// 32 blocks share 256 KiB: each has 256 sectors.
TEST_F(Time, ASectorThatIsAloneInItsLineIsASingleRequestOfTheSecondCache) {
  const auto singles = [&](int stride) {
    const std::string at = std::to_string(stride);
    return feature(
        Feature::kL2SingleSectors,
        "mul.wide.u32 %p, %t, " + at + ";\nadd.s64 %p, %out, %p;\nld.global.u32 %a, [%p];\n", 1,
        32);
  };
  EXPECT_EQ(singles(4), 0U);
  EXPECT_EQ(singles(64), 0U) << "two sectors of each line";
  EXPECT_EQ(singles(128), 32U);
}

TEST_F(Time, WhatAWarpHasReadLongAgoIsNotInTheCache) {
  const auto reads_between = [&](int number, unsigned num_blocks) {
    return feature(Feature::kL2ReadSectors,
                   "ld.global.u32 %a, [%out];\nmov.u32 %m, 0;\nmov.b64 %p, %out;\nLOOP:\n"
                   "add.s64 %p, %p, 32;\nld.global.u32 %b, [%p];\nadd.u32 %m, %m, 1;\n"
                   "setp.lt.u32 %x, %m, " +
                       std::to_string(number) + ";\n@%x bra LOOP;\nld.global.u32 %c, [%out];\n",
                   num_blocks, 32);
  };
  constexpr unsigned kFull = 32 * LAB_MULTIPROCESSORS;  // blocks, with a share of the cache each
  EXPECT_EQ(reads_between(200, kFull), 201U * kFull);
  EXPECT_EQ(reads_between(300, kFull), 302U * kFull);
  EXPECT_EQ(reads_between(300, 1), 301U);
}

TEST_F(Time, SectorsOfMemoryAreDistinctAndColdOnce) {
  load(run_test::kernel(kOwnAddress +
                        "ld.volatile.global.u32 %a, [%p];\n"
                        "ld.volatile.global.u32 %a, [%p];\nst.global.u32 [%p], %a;\n"));
  machine_->set_monitors({&watcher_});
  watcher_.set_watching(true);
  launch(1, 64);
  const timing::Features features = watcher_.take().front().features;
  EXPECT_EQ(features[Feature::kL2ReadSectors], 16U);
  EXPECT_EQ(features[Feature::kReadSectors], 8U);
  EXPECT_EQ(features[Feature::kColdSectors], 8U);
  EXPECT_EQ(features[Feature::kWrittenSectors], 8U);
  EXPECT_EQ(features[Feature::kL2WriteSectors], 8U);
}

TEST_F(Time, ALoadThatTheFirstCacheAnswersIsNotMissing) {
  const std::string load = "ld.global.u32 %a, [%out];\n" + kKeep;
  const timing::Features once = timed(load).features;
  const timing::Features twice = timed(load + "bar.sync 0;\n" + load).features;
  EXPECT_EQ(once[Feature::kMissingLoads], 1U);
  EXPECT_EQ(twice[Feature::kMissingLoads], 1U);
  EXPECT_EQ(timed(load + load).features[Feature::kMissingLoads], 1U) << "the warp waits once";
  EXPECT_EQ(timed(load, 1, 64).features[Feature::kMissingLoads], 2U) << "it is on its way";
  EXPECT_EQ(timed(load, 2).features[Feature::kMissingLoads], 2U) << "another block has another";
}

TEST_F(Time, WhatACopyHasTouchedIsNotCold) {
  const std::uint64_t memory = memory::allocate(4096, memory::Allocation::Kind::kDevice, {});
  watcher_.set_watching(true);
  watcher_.begin_copy("cudaMemset");
  watcher_.copy_row(memory, 0, 64);
  watcher_.begin_copy("cudaMemcpy");
  watcher_.copy_row(0, memory, 128);
  const std::vector<timing::Shape> shapes = watcher_.take();
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].kernel, "cudaMemset");
  EXPECT_EQ(shapes[0].grid.count(), 0U);
  EXPECT_EQ(shapes[0].features[Feature::kLaunches], 1U);
  EXPECT_EQ(shapes[0].features[Feature::kWrittenSectors], 2U);
  EXPECT_EQ(shapes[1].features[Feature::kReadSectors], 4U);
  EXPECT_EQ(shapes[1].features[Feature::kColdSectors], 2U);
  memory::release(memory, memory::Allocation::Kind::kDevice, {});
}

// Each lane has a word `step` bytes after the one before.
std::string at_steps(unsigned step) {
  return "mul.wide.u32 %p, %t, " + std::to_string(step) + ";\nadd.s64 %p, %out, %p;\n";
}

TEST_F(Time, TheFirstCacheHasBanks) {
  const auto wavefronts = [&](unsigned step) {
    return feature(Feature::kL1Wavefronts, at_steps(step) + "ld.global.u32 %a, [%p];\n");
  };
  EXPECT_EQ(wavefronts(4), 1U);
  EXPECT_EQ(wavefronts(128), 32U);
  EXPECT_EQ(wavefronts(132), 1U) << "33 words: each lane has a bank of its own";
}

TEST_F(Time, StoresGoToTheSecondCacheByLineAndSector) {
  const auto stored = [&](unsigned step) {
    const timing::Features features = timed(at_steps(step) + "st.global.u32 [%p], %t;\n").features;
    return std::array{features[Feature::kL2WriteLines], features[Feature::kL2WriteSectors],
                      features[Feature::kL2PartSectors]};
  };
  EXPECT_EQ(stored(4), (std::array<std::uint64_t, 3>{1, 4, 0}));
  EXPECT_EQ(stored(8), (std::array<std::uint64_t, 3>{2, 8, 8}));
  EXPECT_EQ(stored(128), (std::array<std::uint64_t, 3>{32, 32, 32}));
}

TEST_F(Time, AtomicsQueueAtALine) {
  const std::string add = "red.global.add.u32 ";
  EXPECT_EQ(feature(Feature::kHottestLine, add + "[%out], 1;\n", 2, 64), 128U);
  EXPECT_EQ(feature(Feature::kHottestLine, kOwnAddress + add + "[%p], 1;\n", 1, 32), 4U)
      << "words of a sector are updated side by side";
  EXPECT_EQ(feature(Feature::kL2AtomicSectors, kOwnAddress + add + "[%p], 1;\n", 1, 32), 4U);
  const std::string two_lines =
      "and.b32 %b, %t, 1;\nmul.wide.u32 %p, %b, 128;\n"
      "add.s64 %p, %out, %p;\n";
  EXPECT_EQ(feature(Feature::kHottestLine, two_lines + add + "[%p], 1;\n", 1, 32), 16U);
  EXPECT_EQ(feature(Feature::kHottestSlice, two_lines + add + "[%p], 1;\n", 1, 32), 32U);
  EXPECT_EQ(feature(Feature::kHottestFloat, add + "[%out], 1;\n", 1, 32), 0U);
  const std::string draw = "atom.global.add.u32 %a, [%out], 1;\n";
  EXPECT_EQ(feature(Feature::kHottestFloat, draw, 1, 32), 0U) << "nothing takes what it returns";
  EXPECT_EQ(feature(Feature::kHottestFloat, draw + kKeep, 1, 32), 32U);
  EXPECT_EQ(feature(Feature::kHottestFloat, "red.global.add.f32 [%out], 0f3F800000;\n", 1, 32),
            32U);
}

TEST_F(Time, LoadsOfNeighbouringSharedWordsAreOneIfTheFirstIsAligned) {
  const std::string own = "mov.u32 %a, tile;\nshl.b32 %b, %t, 4;\nadd.u32 %a, %a, %b;\n";
  const std::string four =
      "ld.shared.u32 %b, [%a];\nld.shared.u32 %c, [%a+8];\nadd.u32 %b, %b, %c;\n"
      "ld.shared.u32 %c, [%a+4];\nadd.u32 %b, %b, %c;\n"
      "ld.shared.u32 %c, [%a+12];\nadd.u32 %a, %b, %c;\n" +
      kKeep;
  const auto features_of = [&](const std::string& body) {
    const timing::Features features = timed(body, 1, 32, 0, kTile).features;
    return std::array{features[Feature::kSharedWavefronts], features[Feature::kMemory]};
  };
  EXPECT_EQ(features_of(own + four), (std::array<std::uint64_t, 2>{4, 2}));
  EXPECT_EQ(features_of(own + "add.u32 %a, %a, 4;\n" + four), (std::array<std::uint64_t, 2>{16, 5}))
      << "each lane's words are 16 bytes from the next lane's";
  const std::string two =
      "setp.lt.u32 %x, %t, 8;\nmov.u32 %b, 0;\nmov.u32 %c, 0;\n@%x bra NEXT;\n"
      "ld.shared.u32 %b, [%a];\nNEXT:\nsetp.lt.u32 %y, %t, 16;\n@%y bra SUM;\n"
      "ld.shared.u32 %c, [%a+4];\nSUM:\nadd.u32 %a, %b, %c;\n" +
      kKeep;
  EXPECT_EQ(features_of(own + two)[1], 3U) << "other lanes make the second";
  const std::string written =
      "ld.shared.u32 %b, [%a];\nsetp.lt.u32 %x, %t, 8;\n@%x st.shared.u32 [%a+4], %t;\n"
      "ld.shared.u32 %c, [%a+4];\nadd.u32 %a, %b, %c;\n" +
      kKeep;
  EXPECT_EQ(features_of(own + written)[1], 4U) << "some lanes write between them";
}

// Word w of all lanes lies in one line.
TEST_F(Time, AThreadsOwnArrayHasALineForEachWord) {
  const std::string array = ".local .align 4 .b8 array[64];\nmov.u64 %p, array;\n";
  const std::string index = "mul.wide.u32 %q, %a, 4;\nadd.s64 %p, %p, %q;\n";
  const std::string same = "and.b32 %a, %n, 7;\n" + index, any = "and.b32 %a, %t, 7;\n" + index;
  const auto stored = [&](const std::string& body) {
    const timing::Features features = timed(array + body).features;
    return std::array{features[Feature::kL2WriteLines], features[Feature::kL2WriteSectors],
                      features[Feature::kL2PartSectors], features[Feature::kLocalWords]};
  };
  EXPECT_EQ(stored(same + "st.local.u32 [%p], %t;\n"), (std::array<std::uint64_t, 4>{1, 4, 0, 1}));
  EXPECT_EQ(stored(any + "st.local.u32 [%p], %t;\n"), (std::array<std::uint64_t, 4>{8, 32, 32, 8}));
  const timing::Features read =
      timed(array + any + "st.local.u32 [%p], %t;\nld.local.u32 %a, [%p];\n" + kKeep).features;
  EXPECT_EQ(read[Feature::kL1Sectors], 32U);
  EXPECT_EQ(read[Feature::kL1Wavefronts], 8U);
  EXPECT_EQ(read[Feature::kL2ReadSectors], 0U) << "the first cache has them";
  const std::string chosen =
      "add.s64 %q, %p, 4;\nsetp.lt.u32 %x, %t, 8;\nselp.b64 %p, %p, %q, %x;\n"
      "st.local.u32 [%p], %t;\n";
  EXPECT_EQ(feature(Feature::kLocalWords, array + chosen), 0U) << "nvcc finds registers for it";
}

TEST_F(Time, LanesAtOneSharedWordComeOneByOne) {
  const std::string tile = "mov.u32 %a, tile;\n";
  const std::string own = "shl.b32 %b, %t, 2;\nadd.u32 %a, %a, %b;\n";
  const std::string add = "red.shared.add.u32 [%a], 1;\n";
  EXPECT_EQ(feature(Feature::kSharedWavefronts, tile + add, 1, 32, kTile), 32U);
  EXPECT_EQ(feature(Feature::kSharedWavefronts, tile + own + add, 1, 32, kTile), 1U);
  EXPECT_EQ(feature(Feature::kSharedWavefronts, tile + own + own + "st.shared.u32 [%a], %t;\n", 1,
                    32, kTile),
            2U)
      << "every second bank";
}

TEST_F(Time, PacketsGoToAnotherBlockOfTheCluster) {
  cluster_ = {2, 1, 1};
  const std::string sync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  const auto features_of = [&](const std::string& rank, const std::string& access) {
    return timed("mov.u32 %a, tile;\nmov.u32 %b, %cluster_ctarank;\n" + rank +
                     "mapa.shared::cluster.u32 %a, %a, %b;\n" + sync + access + sync,
                 4, 32, 0, kTile)
        .features;
  };
  const std::string other = "xor.b32 %b, %b, 1;\n", add = "red.shared::cluster.add.u32 [%a], 1;\n";
  EXPECT_EQ(features_of(other, add)[Feature::kRemotePackets], 128U) << "one per lane";
  EXPECT_EQ(features_of(other, "ld.shared::cluster.u32 %a, [%a];\n")[Feature::kRemotePackets], 4U)
      << "one per sector";
  EXPECT_EQ(features_of("", add)[Feature::kRemotePackets], 0U) << "the block's own memory";
  EXPECT_EQ(features_of("", add)[Feature::kClusterBlocks], 2U);
}

TEST_F(Time, ABulkCopyTouchesTheSectorsOfItsBytes) {
  const std::string copy =
      "mov.u32 %a, tile;\nsetp.eq.u32 %x, %t, 0;\n"
      "@%x cp.async.bulk.global.shared::cta.bulk_group [%out+16], [%a+16], 224;\n";
  const timing::Features features = timed(copy, 1, 32, 0, kTile).features;
  EXPECT_EQ(features[Feature::kSharedWavefronts], 0U) << "it has a way of its own";
  EXPECT_EQ(features[Feature::kL2WriteSectors], 8U);
}

// Each block publishes a word, and those after the first read words of all before them.
TEST_F(Time, BlocksLookBackAtWhatOthersPublish) {
  const std::string body = "mov.u32 %m, %ctaid.x;\nsetp.ge.u32 %x, %t, %m;\n@%x bra SKIP;\n" +
                           kOwnAddress + "ld.volatile.global.u32 %a, [%p];\nSKIP:\n" +
                           "mov.u32 %b, 0;\nWORK:\nadd.u32 %b, %b, 1;\nsetp.lt.u32 %x, %b, 9;\n"
                           "@%x bra WORK;\n"
                           "mul.wide.u32 %p, %m, 4;\nadd.s64 %p, %out, %p;\n"
                           "st.volatile.global.u32 [%p], 1;\n";
  const timing::Features features = timed(body, 4, 32).features;
  EXPECT_EQ(features[Feature::kLookBackBlocks], 3U);
  EXPECT_EQ(features[Feature::kLookBackWidth], 1U + 2 + 3);
  EXPECT_EQ(features[Feature::kLookBackDepth], 3U);
  EXPECT_GE(features[Feature::kLookBackCycles], 3 * 9U) << "the work between";
  EXPECT_EQ(feature(Feature::kLookBackBlocks, kWait, 4, 32), 0U) << "of what is not published";
}

}  // namespace
}  // namespace time_watcher_test
