// SPDX-License-Identifier: MIT
// A worker with a device process: who may say what, and whose fault an end is.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "process/submission.h"

namespace {

namespace kind = judge::kind;
using judge::Arena;
using judge::Buffer;
using judge::Outcome;

class DeviceProcess : public ::testing::Test {
 protected:
  // What comes of a counted batch over one buffer, "d_out".
  Outcome run(const std::string& worker, const std::string& device) {
    Arena arena(1 << 20);
    const Buffer<int> d_out(arena, "d_out", 1);
    const std::vector<std::string> worker_words = {STAND_IN, "--worker=" + worker};
    const std::vector<std::string> device_words = {STAND_IN, "--device=" + device};
    judge::Submission submission({worker_words, device_words}, arena,
                                 {.call_cpu_seconds = 0.5, .call_wall_seconds = 2});
    wire::Batch batch;
    batch.count = 1;
    batch.calls = {{"f", {}}};
    return submission.run(batch);
  }
  void expect_fault(const std::string& worker, const std::string& device,
                    const std::string& words) {
    try {
      run(worker, device);
      FAIL() << "a verdict";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
};

TEST_F(DeviceProcess, SaysWhatItSaw) {
  const Outcome outcome = run("obeys", "works");
  EXPECT_FALSE(outcome.failure);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].message, "d_out");
  ASSERT_EQ(outcome.kernels.size(), 1U);
}

TEST_F(DeviceProcess, AloneHasTheArena) { EXPECT_FALSE(run("looks", "works").failure); }

TEST_F(DeviceProcess, SaysWhatItSawBeforeItsWorkerDied) {
  const Outcome outcome = run("dies", "works");
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kCrash);
  EXPECT_EQ(outcome.findings.size(), 1U);
}

TEST_F(DeviceProcess, SaysWhatItSawBeforeItsWorkerTookTooLong) {
  const Outcome outcome = run("hangs", "works");
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kTimeout);
  EXPECT_EQ(outcome.findings.size(), 1U);
}

// Its time is the worker's.
TEST_F(DeviceProcess, IsEndedAtTheLimitOfTime) {
  const Outcome outcome = run("obeys", "loops");
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kTimeout);
}

TEST_F(DeviceProcess, MayFindThatTheWorkerBreaksTheRules) {
  const Outcome outcome = run("obeys", "sees nonsense");
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kForbidden);
}

TEST_F(DeviceProcess, ThatFailsIsTheGradersFault) {
  expect_fault("obeys", "refuses",
               "did not start: it exited with status 3: the PTX makes no sense");
  expect_fault("obeys", "crashes", "killed by signal 6");
  expect_fault("obeys", "crashes late", "killed by signal 6");
  expect_fault("obeys", "lies", "broke its protocol");
  expect_fault("obeys", "fails", "a bug of ours");
  expect_fault("dies", "fails", "a bug of ours");
}

}  // namespace
