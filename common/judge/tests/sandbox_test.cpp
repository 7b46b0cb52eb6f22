// SPDX-License-Identifier: MIT
// A worker behind another process, as in a sandbox: how its end is told from the sandbox's own.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "process/submission.h"
#include "tests/programs.h"

namespace {

namespace kind = judge::kind;
using judge::Arena;
using judge::Outcome;

// A stand-in for a sandbox: a process in between that reports the worker's death as shells do.
TEST(Sandbox, PassesOnHowTheWorkerDied) {
  struct Death {
    const char* script;
    const char* kind;
    const char* fragment;
  };
  const Death deaths[] = {{"\"$0\"; exit $?", kind::kCrash, "signal 6"},
                          {"\"$0\"; exit 159", kind::kForbidden, "system call"},
                          {"\"$0\"; exit 9", kind::kCrash, "status 9"}};
  for (const Death& death : deaths) {
    Arena arena(1 << 20);
    judge::Submission submission(
        judge::misbehaving({"/bin/sh", "-c", death.script, MISBEHAVING_WORKER}), arena,
        {.sandboxed = true});
    wire::Batch batch;
    batch.calls = {{"abort_now", {}}};
    const Outcome outcome = submission.run(batch);
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->kind, death.kind);
    EXPECT_NE(outcome.failure->message.find(death.fragment), std::string::npos)
        << outcome.failure->message;
  }
}

TEST(Sandbox, PassesOnThatTheWorkerWasKilledFromOutside) {
  Arena arena(1 << 20);
  judge::Submission submission(
      judge::misbehaving({"/bin/sh", "-c", "\"$0\"; exit $?", MISBEHAVING_WORKER}), arena,
      {.sandboxed = true});
  wire::Batch batch;
  batch.calls = {{"be_killed", {}}};
  EXPECT_THROW(submission.run(batch), judge::WorkerKilled);
}

TEST(Sandbox, DoesNotTakeAnExitForASignal) {
  Arena arena(1 << 20);
  judge::Submission submission(
      judge::misbehaving({"/bin/sh", "-c", "\"$0\"; exit $?", MISBEHAVING_WORKER}), arena,
      {.sandboxed = true});
  wire::Batch batch;
  batch.calls = {{"look_killed", {}}};
  const Outcome outcome = submission.run(batch);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kCrash);
}

// The rung's initialisers run, and print, after the worker's greeting.
TEST(Sandbox, IsNotBlamedForWhatTheRungSays) {
  Arena arena(1 << 20);
  judge::Submission submission(judge::misbehaving({MISBEHAVING_WORKER, "--blame-the-sandbox"}),
                               arena, {.sandboxed = true});
  const Outcome outcome = submission.run({});
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kCrash);
}

TEST(Sandbox, ThatDoesNotStartIsTheJudgesFault) {
  Arena arena(1 << 20);
  judge::Submission submission({"/bin/sh", "-c", "echo 'bwrap: no namespaces' >&2; exit 1"}, arena,
                               {.sandboxed = true});
  EXPECT_THROW(submission.run({}), std::runtime_error);
}

// A sandbox that is killed as it starts has not yet arranged that the worker dies with it.
TEST(Sandbox, TakesTheWorkerAlongWhenItIsKilledEarly) {
  Arena arena(1 << 20);
  judge::Submission submission(
      judge::misbehaving({"/bin/sh", "-c", "setsid \"$0\" & wait", MISBEHAVING_WORKER}), arena,
      {.sandboxed = true});
  EXPECT_FALSE(submission.run({}).failure);
  EXPECT_NO_THROW(submission.end());
}

// The time and memory of a worker behind another process count all the same.
TEST(Sandbox, IsNoPlaceToHideAnEndlessLoop) {
  Arena arena(1 << 20);
  judge::Submission submission(
      judge::misbehaving({"/bin/sh", "-c", "\"$0\"; exit $?", MISBEHAVING_WORKER}), arena,
      {.call_cpu_seconds = 1, .call_wall_seconds = 600, .sandboxed = true});
  wire::Batch batch;
  batch.calls = {{"loop_forever", {}}};
  const Outcome outcome = submission.run(batch);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kTimeout);
}

}  // namespace
