// SPDX-License-Identifier: MIT
// What a recording says of a launch; and that nothing else changes.
#include "check/checker.h"
#include "count/watcher.h"
#include "record/recorder.h"
#include "run_test.h"

namespace record_test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

const std::string kFile = ".file 1 \"/home/user/a.cu\"\n";
std::string line(int number) { return ".loc 1 " + std::to_string(number) + " 1\n"; }

// Of run_test::kernel; `tile` has a word for each thread.
const std::string kTile = kFile + ".shared .align 4 .b8 tile[256];\n";
const std::string kOwnWords =
    "mul.wide.u32 %p, %t, 4;\nadd.s64 %p, %out, %p;\n"
    "mov.u32 %a, tile;\nshl.b32 %b, %t, 2;\nadd.u32 %a, %a, %b;\n";
const std::string kShift =
    line(10) + kOwnWords + "ld.global.u32 %b, [%p];\nst.shared.u32 [%a], %b;\n" + line(11) +
    "bar.sync 0;\n" + line(12) + "setp.lt.u32 %x, %t, 63;\n@%x ld.shared.u32 %c, [%a+4];\n" +
    line(13) + "@%x st.global.u32 [%p], %c;\n";

class Record : public run_test::Run {
 protected:
  std::string recorded(const std::string& body, unsigned num_blocks = 1, unsigned num_threads = 32,
                       const std::string& before = kTile, const std::string& wanted = "") {
    texts_.clear();
    load(run_test::kernel(body, before));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    check::Checker checker;
    machine_->set_monitors({&recorder_, &checker});
    recorder_.record_launch(wanted, [&](const std::string& text) { texts_.push_back(text); });
    launch(num_blocks, num_threads);
    machine_->set_monitors({});
    return texts_.empty() ? "" : texts_.back();
  }

  record::Recorder recorder_;
  std::vector<std::string> texts_;
};

TEST_F(Record, ShowsEachWarpsAccessesWithTheirValues) {
  const std::string text = recorded(kShift, 1, 64);
  EXPECT_TRUE(contains(text, R"("kernel":"k")"));
  EXPECT_TRUE(contains(text, R"("block":[64,1,1],"cut":false)"));
  EXPECT_TRUE(contains(text, R"({"name":"tile","space":"shared","block":0,"bytes":256)")) << text;
  EXPECT_EQ(count(text, "[\"r\","), 4);
  EXPECT_EQ(count(text, "[\"w\","), 4);
  EXPECT_EQ(count(text, "[\"b\","), 1);
  EXPECT_EQ(count(text, "[\"v\","), 2);
  EXPECT_EQ(count(text, "[\"x\","), 2);
  // Warp 0 reads 32 words in a row: in 4 sectors, and for the first time.
  EXPECT_TRUE(contains(text, ",4,[0,4],\"00000000")) << text;
  EXPECT_TRUE(contains(text, "\",\"\",4,0]")) << "of a read";
  EXPECT_TRUE(contains(text, "\"\",\"00000000")) << "the write to tile";
  // In the last warp the last lane writes nothing.
  EXPECT_TRUE(contains(text, "2147483647,4294967295,0")) << text;
  EXPECT_EQ(count(text, "[\"a.cu\",11]"), 1);
}

TEST_F(Record, TheSidesOfABranchTakeTurns) {
  const std::string text = recorded(line(20) + kOwnWords +
                                    "and.b32 %c, %t, 1;\nsetp.eq.u32 %x, %c, 0;\n@%x bra EVEN;\n" +
                                    line(21) + "st.global.u32 [%p], 2;\nbra MEET;\nEVEN:\n" +
                                    line(22) + "st.global.u32 [%p], 1;\nMEET:\n");
  EXPECT_TRUE(contains(text, ",1431655765,4294967295,0,")) << "the even lanes";
  EXPECT_TRUE(contains(text, ",2863311530,4294967295,0,")) << "the odd lanes";
}

TEST_F(Record, LinesThatLanesBeginAreSteps) {
  const std::string text =
      recorded(line(30) + "mov.u32 %a, 1;\nadd.u32 %a, %a, %t;\n" + line(31) +
               "add.u32 %a, %a, 2;\nadd.u32 %a, %a, 2;\n" + line(32) + "add.u32 %a, %a, 3;\n");
  EXPECT_EQ(count(text, "[\"s\","), 3) << text;
}

TEST_F(Record, AnAtomicShowsWhatItLeaves) {
  const std::string text = recorded(line(5) + "red.global.add.u32 [%out], 1;\n", 1, 2);
  EXPECT_TRUE(contains(text, R"([0,0],"0000000000000000","0200000002000000")")) << text;
}

TEST_F(Record, AShuffleShowsWhatEachLaneGivesAndGets) {
  const std::string text = recorded(line(5) + "shfl.sync.down.b32 %a, %t, 1, 31, -1;\n");
  EXPECT_TRUE(contains(text, R"("shuffle","00000000000000000100000000000000)")) << text;
  EXPECT_TRUE(contains(text, R"(","01000000000000000200000000000000)")) << text;
}

TEST_F(Record, ACopyShowsWhatItBringsWhenItArrives) {
  const std::string text =
      recorded(line(5) + kOwnWords + "cp.async.ca.shared.global [%a], [%p], 4;\n" + line(6) +
               "cp.async.wait_all;\n" + line(7) + "ld.shared.u32 %b, [%a];\n");
  EXPECT_EQ(count(text, "[\"r\","), 2);
  EXPECT_EQ(count(text, "[\"w\","), 1) << text;
  EXPECT_FALSE(contains(text, "addef8ff")) << "no poison";
}

TEST_F(Record, AFindingComesBeforeTheAccessThatMadeIt) {
  const std::string text =
      recorded(line(8) + "st.global.u32 [%out], %t;\n" + line(9) + "bar.warp.sync -1;\n", 1, 64);
  EXPECT_TRUE(contains(text, R"("findings":[{"kind":"race")")) << text;
  const std::size_t finding = text.find("[\"f\",0,");
  ASSERT_NE(finding, std::string::npos) << text;
  const std::size_t write = text.find("[\"w\",", finding);
  EXPECT_EQ(write, text.find("]", finding) + 2) << text;
}

TEST_F(Record, AFindingOfARaceNamesItsTwoAccesses) {
  const std::string text =
      recorded(line(8) + "st.global.u32 [%out], %t;\n" + line(9) + "bar.warp.sync -1;\n", 1, 64);
  EXPECT_TRUE(contains(text, R"("race":[[0,1,8,1],[0,0,8,1]])")) << text;
}

TEST_F(Record, TheFirstLaunchWithAFindingTakesThePlaceOfTheFirst) {
  const std::string racy = line(8) + "st.global.u32 [%out], %t;\n";
  load(run_test::kernel("setp.eq.u32 %x, %n, 0;\n@%x ret;\n" + racy, kFile));
  check::Checker checker;
  machine_->set_monitors({&recorder_, &checker});
  const auto keep = [&](const std::string& text) { texts_.push_back(text); };
  recorder_.record_launch("", keep, record::Recorder::Which::kFirstWithFinding);
  launch(1, 32);
  launch(2, 64, 1);
  ASSERT_EQ(texts_.size(), 2U);
  EXPECT_TRUE(contains(texts_[1], R"("grid":[2,1,1])")) << texts_[1];
  launch(3, 64, 1);
  EXPECT_EQ(texts_.size(), 2U) << "the second one had findings";
  machine_->set_monitors({});
}

TEST_F(Record, WithoutAFindingTheFirstLaunchStays) {
  load(run_test::kernel(line(3) + "mov.u32 %a, 1;\n" + run_test::kStore, kFile));
  machine_->set_monitors({&recorder_});
  const auto keep = [&](const std::string& text) { texts_.push_back(text); };
  recorder_.record_launch("", keep, record::Recorder::Which::kFirstWithFinding);
  launch(1, 32);
  launch(2, 32);
  ASSERT_EQ(texts_.size(), 1U);
  EXPECT_TRUE(contains(texts_[0], R"("grid":[1,1,1])"));
  machine_->set_monitors({});
}

TEST_F(Record, TheAccessThatEndsTheKernelIsShown) {
  const std::string text = recorded(line(8) + "ld.global.u32 %a, [%out+1000000];\n");
  EXPECT_TRUE(contains(text, "out_of_bounds")) << text;
  EXPECT_EQ(count(text, "[\"r\","), 1);
  EXPECT_EQ(count(text, "[\"f\","), 1);
}

TEST_F(Record, AnAddressFarOutsideOfSharedMemoryIsAPlaceOfItsOwn) {
  const std::string text = recorded(line(8) + "mov.u32 %a, 4235155072;\nst.shared.u32 [%a], %t;\n");
  EXPECT_TRUE(contains(text, "outside of shared memory")) << text;
  EXPECT_FALSE(contains(text, "[-")) << text;
}

TEST_F(Record, OnlyTheFirstLaunchOfTheWantedKernelIsRecorded) {
  EXPECT_EQ(recorded(kShift, 1, 32, kTile, "other"), "");
  EXPECT_EQ(recorder_.launches_seen(), std::vector<std::string>{"k"});
  EXPECT_NE(recorded(kShift, 1, 32, kTile, "lab::k<256>"), "");
  EXPECT_EQ(texts_.size(), 1U);
}

TEST_F(Record, OnlyTheFirstBlocksAreRecorded) {
  const std::string text = recorded(line(3) + "mov.u32 %a, 1;\n" + run_test::kStore, 9, 64);
  EXPECT_EQ(count(text, "[\"B\","), 4);
  EXPECT_EQ(count(text, "[\"E\","), 4);
  ASSERT_EQ(texts_.size(), 2U) << "once before the other blocks run, which may take long";
  EXPECT_EQ(count(texts_[0], "[\"E\","), 4);
}

TEST_F(Record, ALongLaunchIsCutAndRunsToItsEnd) {
  const std::string text = recorded(
      line(3) + "mov.u32 %a, 0;\nLOOP:\n" + line(4) +
      kOwnWords.substr(0, kOwnWords.find("mov.u32 %a")) +
      "st.global.u32 [%p], %a;\nadd.u32 %a, %a, 1;\nsetp.lt.u32 %x, %a, 20000;\n@%x bra LOOP;\n");
  ASSERT_EQ(texts_.size(), 2U);
  EXPECT_TRUE(contains(texts_[0], R"("cut":true)"));
  EXPECT_TRUE(contains(text, R"("cut":true)"));
  EXPECT_LE(text.size(), record::kMaxRecordingBytes + 65536);
}

}  // namespace
}  // namespace record_test
