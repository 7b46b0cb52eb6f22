// SPDX-License-Identifier: MIT
// Tests every way in which a worker can end, with a worker that does each on request.
#include "process/submission.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "protocol/call_encoding.h"
#include "tests/programs.h"

namespace {

namespace kind = judge::kind;
using judge::Arena;
using judge::Buffer;
using judge::Failure;
using judge::Outcome;

class SubmissionUnderTest : public ::testing::Test {
 protected:
  Outcome call(const std::string& function) {
    wire::Batch batch;
    batch.calls = {{function, {}}};
    return submission_.run(batch);
  }
  // The next call still works: a fresh worker has taken over.
  void expect_recovery() {
    const Buffer<int> d_out(arena_, "d_out", 1);
    wire::Batch batch;
    batch.calls = {
        judge::encode_call<void(int*, int, lab::Scratch&, cudaStream_t)>("behave", d_out, 42)};
    EXPECT_FALSE(submission_.run(batch).failure);
    EXPECT_EQ(d_out.download()[0], 42);
  }

  Arena arena_{1 << 20};
  judge::Submission submission_{judge::misbehaving(),
                                arena_,
                                {.call_cpu_seconds = 1,
                                 .call_wall_seconds = 3,
                                 .memory_bytes = 256 << 20,
                                 .greedy_bytes = 64 << 20,
                                 .output_bytes = 1 << 20}};
};

TEST_F(SubmissionUnderTest, AnswersACall) { expect_recovery(); }

TEST_F(SubmissionUnderTest, IsNotBlamedWhenItIsKilledFromOutside) {
  EXPECT_THROW(call("be_killed"), judge::WorkerKilled);
  expect_recovery();
}

TEST_F(SubmissionUnderTest, IsBlamedWhenItTookTheMemoryForWhichItIsKilled) {
  const Outcome outcome = call("take_and_be_killed");
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kOutOfMemory);
  EXPECT_TRUE(outcome.fatal);
  expect_recovery();
}

// A folder takes the place of a control group: what is written there is what the kernel would read.
class FolderAsMemoryGroup : public ::testing::Test {
 protected:
  FolderAsMemoryGroup() { std::filesystem::create_directory(parent_); }
  ~FolderAsMemoryGroup() override { std::filesystem::remove_all(parent_); }

  std::string read(const char* name) const {
    std::string text;
    std::ifstream(group() / name) >> text;
    return text;
  }
  // What a worker that is killed is blamed for, if the group has counted these events.
  Outcome be_killed(const char* events) {
    submission_.wait_until_ready();
    std::ofstream(group() / "memory.events") << events;
    wire::Batch batch;
    batch.calls = {judge::encode_call<void()>("be_killed")};
    return submission_.run(batch);
  }

  std::filesystem::path group() const {
    return std::filesystem::directory_iterator(parent_)->path();
  }

  // Of this process alone: CTest runs each test in one of its own.
  std::filesystem::path parent_ =
      std::filesystem::path(::testing::TempDir()) / ("group-" + std::to_string(getpid()));
  Arena arena_{1 << 20};
  judge::Submission submission_{
      judge::misbehaving(), arena_, {.memory_bytes = 1 << 30, .memory_group = parent_.string()}};
};

TEST_F(FolderAsMemoryGroup, GetsTheLimitAndTheWorker) {
  submission_.wait_until_ready();
  EXPECT_EQ(read("memory.max"), std::to_string(1 << 30));
  EXPECT_EQ(read("memory.swap.max"), "0");
  EXPECT_EQ(read("memory.oom.group"), "1");
  EXPECT_EQ(read("cgroup.procs"), "00");  // by each process
}

TEST_F(FolderAsMemoryGroup, NamesTheLimitAsTheCauseOfAnEnd) {
  const Outcome outcome = be_killed("max 7\noom 1\noom_kill 1\n");
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kOutOfMemory);
}

TEST_F(FolderAsMemoryGroup, DoesNotBlameTheWorkerForMemoryThatOthersTook) {
  EXPECT_THROW(be_killed("max 0\noom 0\noom_kill 1\n"), judge::WorkerKilled);
}

// With the kernel's own groups, where the tests are given one.
class RealMemoryGroup : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const group = std::getenv("LOCKSTEP_DIVIDED_GROUP");
    if (group == nullptr) GTEST_SKIP() << "no control group is delegated: see docs/sandbox.md";
    parent_ = std::filesystem::path(group) / ("test-" + std::to_string(getpid()));
    std::filesystem::create_directory(parent_);
    write("cgroup.subtree_control", "+memory");
  }
  void TearDown() override {
    if (parent_.empty()) return;
    EXPECT_EQ(rmdir(parent_.c_str()), 0) << "a worker's group is left";
  }

  void write(const char* name, const std::string& text) const {
    EXPECT_TRUE(std::ofstream(parent_ / name) << text << std::flush) << name;
  }
  // How often the kernel has ended a group below parent_.
  long num_ended() const {
    std::ifstream events(parent_ / "memory.events");
    std::string name;
    for (long count = 0; events >> name >> count;) {
      if (name == "oom_group_kill") return count;
    }
    return -1;
  }
  Outcome take_at_once() {
    Arena arena(1 << 20);
    judge::Submission submission(
        judge::misbehaving(), arena,
        {.memory_bytes = std::size_t{64} << 20, .memory_group = parent_.string()});
    wire::Batch batch;
    batch.calls = {judge::encode_call<void()>("take_at_once")};
    return submission.run(batch);
  }

  std::filesystem::path parent_;
};

TEST_F(RealMemoryGroup, EndsAWorkerAtItsLimit) {
  const Outcome outcome = take_at_once();
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kOutOfMemory);
  EXPECT_EQ(num_ended(), 1);
}

TEST_F(RealMemoryGroup, DoesNotBlameTheWorkerForALimitAroundTheGroup) {
  write("memory.max", std::to_string(32 << 20));
  EXPECT_THROW(take_at_once(), judge::WorkerKilled);
  EXPECT_EQ(num_ended(), 1);
}

// The socket has room for some 200 KB, and the judge must not wait for more without end.
TEST_F(SubmissionUnderTest, MayNotLeaveRequestsUnread) {
  Outcome outcome = call("answer_unread");
  for (int i = 0; i < 20 && !outcome.failure; ++i) outcome = call(std::string(50'000, 'x'));
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kForbidden);
  expect_recovery();
}

// What a thread that the call left behind does while it is paused, and then.
TEST_F(SubmissionUnderTest, DoesNothingWhileItIsPaused) {
  const std::string file = "/tmp/count_on." + std::to_string(getpid());
  EXPECT_FALSE(call("count_on").failure);
  const auto counts_on = [&] {
    usleep(50'000);
    const auto before = std::filesystem::file_size(file);
    usleep(50'000);
    return std::filesystem::file_size(file) != before;
  };
  EXPECT_TRUE(counts_on());
  submission_.pause();
  EXPECT_FALSE(counts_on());
  submission_.resume();
  EXPECT_TRUE(counts_on());
  submission_.pause();
  submission_.end();  // which a paused worker does not delay
  std::filesystem::remove(file);
  expect_recovery();
}

// Each call may take long, but not all of them together.
TEST(Budget, OverAllCallsEndsInAVerdict) {
  Arena arena(1 << 20);
  judge::Submission submission(judge::misbehaving(), arena, {.all_calls_seconds = 1});
  wire::Batch batch;
  batch.calls = {{"nap", {}}};
  Outcome outcome;
  int num_calls = 0;
  while (!outcome.failure && num_calls < 5) {
    outcome = submission.run(batch);
    ++num_calls;
  }
  EXPECT_EQ(num_calls, 3);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kTimeout);
  EXPECT_NE(outcome.failure->message.find("1 s in all"), std::string::npos);
  EXPECT_TRUE(outcome.fatal);
  EXPECT_TRUE(submission.run(batch).failure) << "a new worker has no new budget";
}

// A loop that the device ends after a while fails in each call, and so in each test.
TEST(Budget, OfFailuresIsThatOfOneCall) {
  Arena arena(1 << 20);
  judge::Submission submission(judge::misbehaving(), arena, {.call_cpu_seconds = 0.45});
  wire::Batch batch;
  batch.calls = {{"fail_late", {}}};
  EXPECT_FALSE(submission.run(batch).fatal);
  EXPECT_TRUE(submission.run(batch).fatal);
}

TEST_F(SubmissionUnderTest, MaySendNoMoreThanTheJudgeWritesDown) {
  const Outcome outcome = call("send_a_novel");
  ASSERT_TRUE(outcome.failure);
  EXPECT_LT(outcome.failure->message.size(), wire::kMaxTextBytes + 300);
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The judge keeps what the checker says apart from what the worker says, whatever the worker says.
TEST(CheckerLog, IsOutOfTheWorkersReach) {
  const std::string file = ::testing::TempDir() + "checker_" + std::to_string(getpid());
  std::filesystem::remove(file);
  Arena arena(1 << 20);
  judge::Submission submission(
      judge::misbehaving({"/bin/sh", "-c", "echo '= a finding'; \"$0\" --checked; echo '= end'",
                          MISBEHAVING_WORKER}),
      arena, {.farewell_seconds = 20, .checker_log = file});
  wire::Batch batch;
  batch.calls = {{"print_into_log", {}}};
  EXPECT_FALSE(submission.run(batch).failure);
  submission.end();
  EXPECT_EQ(text_of(file), "= a finding\n= end\n");
  EXPECT_NE(submission.take_output().find("= forged"), std::string::npos);
  std::filesystem::remove(file);
}

// A wrapper's last words, as a checker's summary is.
TEST(Farewell, LetsAWrapperFinishAfterTheWorker) {
  for (const double farewell_seconds : {0.0, 20.0}) {
    const std::string file = ::testing::TempDir() + "farewell_" + std::to_string(getpid());
    std::filesystem::remove(file);
    Arena arena(1 << 20);
    {
      judge::Submission submission(
          judge::misbehaving({"/bin/sh", "-c", "\"$0\"; echo $? > " + file, MISBEHAVING_WORKER}),
          arena, {.farewell_seconds = farewell_seconds});
      const Buffer<int> d_out(arena, "d_out", 1);
      wire::Batch batch;
      batch.calls = {
          judge::encode_call<void(int*, int, lab::Scratch&, cudaStream_t)>("behave", d_out, 42)};
      EXPECT_FALSE(submission.run(batch).failure);
    }
    EXPECT_EQ(std::filesystem::exists(file), farewell_seconds > 0);
    std::filesystem::remove(file);
  }
}

TEST_F(SubmissionUnderTest, MayNotAnswerWhatHasNotBeenAsked) {
  EXPECT_FALSE(call("answer_ahead").failure);
  usleep(500'000);
  const Outcome outcome = call("do_nothing");
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kForbidden);
  expect_recovery();
}

TEST(Channel, MayNotBeClosed) {
  Arena arena(1 << 20);
  judge::Submission submission(judge::misbehaving(), arena, {});
  wire::Batch batch;
  batch.calls = {{"close_channel", {}}};
  const Outcome outcome = submission.run(batch);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kForbidden);
  EXPECT_NE(outcome.failure->message.find("closed"), std::string::npos);
}

struct Case {
  const char* function;
  const char* kind;
  const char* fragment;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.function; }

class Misbehaviour : public SubmissionUnderTest, public ::testing::WithParamInterface<Case> {};

TEST_P(Misbehaviour, HasANamedCauseAndEndsNothingElse) {
  const Outcome outcome = call(GetParam().function);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, GetParam().kind);
  EXPECT_NE(outcome.failure->message.find(GetParam().fragment), std::string::npos)
      << outcome.failure->message;
  expect_recovery();
}

INSTANTIATE_TEST_SUITE_P(
    All, Misbehaviour,
    ::testing::Values(Case{"abort_now", kind::kCrash, "signal 6"},
                      Case{"use_null", kind::kCrash, "dereferenced a null pointer"},
                      Case{"divide_by_zero", kind::kCrash, "divided an integer by zero"},
                      Case{"recurse_forever", kind::kCrash, "used up its stack of "},
                      Case{"leave_early", kind::kCrash, "exited with status 0"},
                      Case{"loop_forever", kind::kTimeout, "endless loop"},
                      Case{"sleep_forever", kind::kTimeout, "no answer"},
                      Case{"flood", kind::kCrash, "printed more than"},
                      Case{"hoard", kind::kOutOfMemory, "memory"},
                      Case{"not_written", kind::kTodo, "TODO: write me"},
                      Case{"throw_something", kind::kCrash, "throw CudaError(error)): "},
                      Case{"throw_from_destructor", kind::kCrash, "cudaFree there without check()"},
                      Case{"use_up_scratch", kind::kOutOfMemory, "recursion that does not end"},
                      Case{"blame_the_judge", kind::kCrash, "exception"},
                      Case{"ignore_error", kind::kLaunchError, "ignored an error"},
                      Case{"forge_reply", kind::kForbidden, "channel"},
                      Case{"refuse_request", kind::kForbidden, "channel"},
                      Case{"blame_another_call", kind::kLaunchError, "the call"},
                      Case{"return_too_much", kind::kForbidden, "channel"},
                      Case{"hoard_shared", kind::kOutOfMemory, "memory"},
                      Case{"hoard_files", kind::kOutOfMemory, "memory"},
                      Case{"fork_and_leave", kind::kCrash, "status 7"},
                      Case{"absent", kind::kCompileError, "lab::absent"}));

TEST_F(SubmissionUnderTest, OutputIsKeptButProvesNothing) {
  EXPECT_TRUE(call("leave_early").failure);
  EXPECT_EQ(submission_.take_output(), "[  PASSED  ] all\n");
}

TEST_F(SubmissionUnderTest, HostArgumentsAreCopiesThatGoBack) {
  Buffer<int> h_in(arena_, "h_in", 3);
  h_in.upload(std::vector<int>{1, 2, 3});
  const Buffer<int> h_out(arena_, "h_out", 3);
  wire::Batch batch;
  batch.calls = {judge::encode_call<void(const int*, int, int*)>(
      "negate_on_host", judge::on_host(h_in), 3, judge::on_host(h_out))};
  EXPECT_FALSE(submission_.run(batch).failure);
  EXPECT_EQ(h_out.download(), (std::vector<int>{-1, -2, -3}));
  EXPECT_FALSE(arena_.find_trespass());
}

TEST_F(SubmissionUnderTest, WritingPastAHostArgumentIsSeen) {
  const Buffer<int> h_out(arena_, "h_out", 3);
  wire::Batch batch;
  batch.calls = {
      judge::encode_call<void(int*, int)>("write_past_on_host", judge::on_host(h_out), 3)};
  EXPECT_FALSE(submission_.run(batch).failure);
  EXPECT_TRUE(arena_.find_trespass());
}

struct Wide {
  double weight;
  int numbers[3];
};
enum class Turn : int { kAround = -1, kOn = 1 };

TEST_F(SubmissionUnderTest, AStructTravelsByReferenceAndAResultComesBack) {
  Buffer<Wide> h_wide(arena_, "h_wide", 1);
  h_wide.upload(std::vector<Wide>{{0.5, {1, 2, 3}}});
  const Buffer<Wide> h_turned(arena_, "h_turned", 1);
  wire::Batch batch;
  batch.calls = {judge::encode_call<Wide(const Wide&, Turn)>(
      "turn", judge::on_host(h_wide), Turn::kAround, judge::on_host(h_turned))};
  EXPECT_FALSE(submission_.run(batch).failure);
  const Wide turned = h_turned.download()[0];
  EXPECT_EQ(turned.weight, -0.5);
  EXPECT_EQ(turned.numbers[0], -1);
  EXPECT_EQ(turned.numbers[1], -2);
  EXPECT_EQ(turned.numbers[2], 3);
}

TEST_F(SubmissionUnderTest, AShapeArrivesAsItWasSent) {
  const Buffer<int> d_out(arena_, "d_out", 3);
  wire::Batch batch;
  batch.calls = {
      judge::encode_call<void(dim3, int*)>("take_shape", dim3(2147483647, 70000, 3), d_out)};
  EXPECT_FALSE(submission_.run(batch).failure);
  EXPECT_EQ(d_out.download(), (std::vector<int>{2147483647, 70000, 3}));
}

TEST_F(SubmissionUnderTest, AnErrorThatWasAskedForEndsNothing) {
  const Buffer<int> d_out(arena_, "d_out", 1);
  wire::Batch batch;
  batch.calls = {
      judge::must_throw("cudaErrorInvalidDevice", {"report_error", {}}),
      judge::must_throw("cudaErrorInvalidValue or cudaErrorInvalidDevice", {"report_error", {}}),
      judge::encode_call<void(int*, int, lab::Scratch&, cudaStream_t)>("behave", d_out, 42)};
  EXPECT_FALSE(submission_.run(batch).failure);
  EXPECT_EQ(d_out.download()[0], 42);
}

struct ErrorCase {
  const char* function;
  const char* error;
  const char* fragment;
};
void PrintTo(const ErrorCase& c, std::ostream* out) { *out << c.function << " for " << c.error; }

class MissedError : public SubmissionUnderTest, public ::testing::WithParamInterface<ErrorCase> {};

TEST_P(MissedError, HasANamedCause) {
  wire::Batch batch;
  batch.calls = {judge::must_throw(GetParam().error, {GetParam().function, {}})};
  const Outcome outcome = submission_.run(batch);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, kind::kLaunchError);
  EXPECT_NE(outcome.failure->message.find(GetParam().fragment), std::string::npos)
      << outcome.failure->message;
  expect_recovery();
}

INSTANTIATE_TEST_SUITE_P(
    All, MissedError,
    ::testing::Values(ErrorCase{"do_nothing", "cudaErrorInvalidDevice", "as if it had worked"},
                      ErrorCase{"ignore_error", "cudaErrorInvalidDevice", "ignored an error"},
                      ErrorCase{"leave_error", "cudaErrorInvalidDevice", "did not clear it"},
                      ErrorCase{"report_error", "cudaErrorInvalidValue", "had to throw"}));

// A rung could fake this mistake of the judge, so it must still lead to a verdict.
TEST_F(SubmissionUnderTest, ARequestThatTheWorkerRefusesIsAVerdict) {
  const wire::Call refused[] = {
      {"write_past_on_host", {{wire::ArgKind::kHostBuffer, 4096}, {wire::ArgKind::kInteger, 1}}},
      {"no_such_function", {}},
      {"behave", {}}};
  for (const wire::Call& call : refused) {
    wire::Batch batch;
    batch.calls = {call};
    const Outcome outcome = submission_.run(batch);
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->kind, kind::kForbidden);
    EXPECT_NE(outcome.failure->message.find("refused the judge's request"), std::string::npos);
  }
}

TEST(Submission, ThatCannotBeStartedIsTheMachinesFault) {
  Arena arena(1 << 16);
  judge::Submission submission({"/no/such/worker"}, arena, {});
  EXPECT_THROW(submission.run({}), std::runtime_error);
}

TEST(Submission, WithoutAddressSpaceForTheDevicesMemoryIsTheMachinesFault) {
  Arena arena(1 << 16);
  judge::Commands commands = judge::misbehaving();
  std::vector<std::string>& holder = commands.device.empty() ? commands.worker : commands.device;
  holder.insert(holder.begin(), {"/bin/sh", "-c", "ulimit -v 8000000; exec \"$0\" \"$@\""});
  judge::Submission submission(commands, arena, {});
  try {
    submission.run({});
    FAIL() << "a verdict";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("address range"), std::string::npos) << error.what();
  }
}

TEST(Cause, OfAPointerToTheDeviceIsToldOnce) {
  const std::string message = "the host reads allocation 1 itself: copy it with cudaMemcpy";
  Outcome outcome;
  outcome.failure = Failure{kind::kCrash, "reduce crashed: " + message};
  EXPECT_EQ(judge::cause_of(outcome)->kind, kind::kCrash);
  outcome.findings = {{kind::kHostPointer, "rung.cu", 7, "", message}};
  EXPECT_EQ(judge::cause_of(outcome)->kind, kind::kHostPointer);
  EXPECT_EQ(judge::cause_of(outcome)->message, message);
  outcome.failure->message = "reduce crashed: the host code divided an integer by zero";
  EXPECT_EQ(judge::cause_of(outcome)->kind, kind::kCrash);
}

}  // namespace
