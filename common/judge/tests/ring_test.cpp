// SPDX-License-Identifier: MIT
// A worker of the machine that abuses the memory through which it asks its device process: the
// outcome is a verdict, and the device process is never the one that fails.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "process/submission.h"
#include "protocol/call_encoding.h"
#include "tests/programs.h"

namespace {

namespace kind = judge::kind;
using judge::Arena;
using judge::Buffer;
using judge::Outcome;

class Ring : public ::testing::Test {
 protected:
  Outcome run(std::vector<wire::Call> calls) {
    wire::Batch batch;
    batch.scratch_bytes = 4096;
    batch.count = 1;
    batch.calls = std::move(calls);
    return submission_.run(std::move(batch));
  }
  Outcome call(const std::string& function) { return run({{function, {}}}); }
  void expect_recovery() {
    EXPECT_FALSE(run({judge::encode_call<void(int*, int, lab::Scratch&, cudaStream_t)>("behave",
                                                                                       d_out_, 42)})
                     .failure);
    EXPECT_EQ(d_out_.download()[0], 42);
    EXPECT_FALSE(arena_.find_trespass());
  }

  Arena arena_{1 << 20};
  Buffer<int> d_out_{arena_, "d_out", 1};
  judge::Submission submission_{
      judge::misbehaving(), arena_, {.call_cpu_seconds = 1.5, .call_wall_seconds = 10}};
};

class Rubbish : public Ring, public ::testing::WithParamInterface<int> {};

TEST_P(Rubbish, IsAnswered) {
  EXPECT_NO_THROW(run({judge::encode_call<void(int)>("send_rubbish", GetParam())}));
  submission_.end();
  d_out_.poison();
  expect_recovery();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Rubbish, ::testing::Range(1, 7));

TEST_F(Ring, MayBeRungWithoutEnd) {
  EXPECT_NO_THROW(call("ask_without_end"));
  submission_.end();
  expect_recovery();
}

TEST_F(Ring, MayBeScribbledOn) {
  EXPECT_NO_THROW(call("scribble"));
  submission_.end();
  expect_recovery();
}

TEST_F(Ring, MayBeClosed) {
  EXPECT_NO_THROW(call("close_ring"));
  submission_.end();
  expect_recovery();
}

TEST_F(Ring, TakesFindingsUpToALimit) {
  const Outcome outcome = call("fill_with_findings");
  EXPECT_GT(outcome.findings.size(), 10U);
  EXPECT_LE(outcome.findings.size(), 200U);
}

// As root and outside of a sandbox this process may do all of that, and does not.
TEST_F(Ring, IsTheOnlyWayToDeviceMemory) {
  const Outcome outcome = call("look_for_device_memory");
  if (geteuid() == 0) GTEST_SKIP() << "root may read the memory of all processes";
  EXPECT_FALSE(outcome.failure) << submission_.take_output();
}

}  // namespace
