// SPDX-License-Identifier: MIT
// What a submission may not decide about the measurement of its own speed. Contenders are workers
// that say how long their calls take, so the tests need neither a GPU nor a quiet machine.
#include "measure/speed.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure/first_times.h"
#include "protocol/call_encoding.h"
#include "tests/programs.h"

namespace {

namespace kind = judge::kind;

const judge::SpeedPlan kPlan = {.rounds = 9,
                                .least_rounds = 5,
                                .quiet_rounds = 5,
                                .attempts = 1,
                                .batch_ms = 60,
                                .long_batch_ms = 150,
                                .enough_ms = 2500};

class PacedSlot : public judge::Slot {
 public:
  explicit PacedSlot(judge::Arena& arena) : d_out_(arena, "d_out", 1) {}

  void refresh(std::uint64_t seed) override { value_ = static_cast<int>(seed & 0xffff); }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    return judge::encode_call<void(int*, int)>(function.c_str(), d_out_, value_);
  }
  std::optional<judge::Failure> check() const override {
    if (d_out_.download()[0] == value_) return std::nullopt;
    return judge::Failure{kind::kWrongResult, "another value"};
  }
  double sequential_ms() const override { return 1; }

 private:
  mutable judge::Buffer<int> d_out_;
  int value_ = 0;
};

judge::Workload paced_workload() {
  judge::Workload workload;
  workload.function = "paced";
  workload.limit = "paced";
  workload.num_items = 1;
  workload.bytes_per_call = 4;
  workload.arena_bytes_per_call = std::size_t{32} << 20;
  workload.scratch_bytes = 0;
  workload.make_slot = [](judge::Arena& arena) { return std::make_unique<PacedSlot>(arena); };
  return workload;
}

class Speed : public ::testing::Test {
 protected:
  ~Speed() override { unlink(device_.c_str()); }

  judge::SpeedResult measure(const std::string& submission, const std::string& others = "steady",
                             const std::string& first = "",
                             std::optional<double> first_ms = std::nullopt) {
    const judge::SpeedWorkers workers{
        paced(submission), {},
        paced(others),     first.empty() ? judge::Commands{} : paced(first),
        first_ms,          paced(others)};
    judge::SeedSequence seeds(7, "Speed");
    judge::SpeedPlan plan = kPlan;
    plan.retime = [this](judge::Outcome& outcome) {
      outcome.wall_ms = outcome.events_ms = take_spent_ms();
      // Only the submission takes twice as long as the others.
      if (hides_time_ && outcome.wall_ms > 1.5 * kPlan.batch_ms) outcome.events_ms /= 2;
      times_ms_.push_back(outcome.wall_ms);
    };
    return judge::measure_speed(workload_, workers, seeds, plan);
  }

  void hide_time() { hides_time_ = true; }
  const std::string& device() const { return device_; }
  const std::vector<double>& times_ms() const { return times_ms_; }  // of all batches

 private:
  judge::Commands paced(const std::string& pace) const {
    return judge::misbehaving({MISBEHAVING_WORKER, "--pace=" + pace + ":" + device_});
  }
  // What the calls since the last time took.
  double take_spent_ms() const {
    const int file = open(device_.c_str(), O_RDWR | O_CLOEXEC);
    double spent_ms = 0;
    pread(file, &spent_ms, sizeof spent_ms, 0);
    ftruncate(file, 0);
    close(file);
    return spent_ms;
  }
  static std::string made_file() {
    std::string name = ::testing::TempDir() + "device_XXXXXX";
    close(mkstemp(name.data()));
    return name;
  }

  const judge::Workload workload_ = paced_workload();
  const std::string device_ = made_file();
  std::vector<double> times_ms_;
  bool hides_time_ = false;
};

TEST_F(Speed, IsAShareOfTheLimit) {
  const judge::SpeedResult result = measure("half");
  ASSERT_FALSE(result.failure) << result.failure->message;
  EXPECT_NEAR(result.share.median, 0.5, 0.01);
  EXPECT_NEAR(result.of_reference->median, 0.5, 0.01);
  EXPECT_TRUE(result.steady);
}

TEST_F(Speed, IsForbiddenWhereTheWorkersClockShowsLess) {
  hide_time();
  const judge::SpeedResult result = measure("half");
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind, kind::kForbidden);
  EXPECT_FALSE(result.clocks.agree());
}

TEST_F(Speed, IsMeasuredInMoreRoundsWhereTheyDisagree) {
  EXPECT_EQ(measure("half").rounds, kPlan.least_rounds);
  EXPECT_GT(measure("slow_in_turns").rounds, kPlan.least_rounds);
}

TEST_F(Speed, IsComparedWithTheFirstRungOutsideTheRounds) {
  const judge::SpeedResult result = measure("half", "steady", "far_slower");
  ASSERT_FALSE(result.failure) << result.failure->message;
  EXPECT_NEAR(result.speedup->median, 45, 1);  // 90 times the steady pace, against twice
  const double first_ms = std::ranges::max(times_ms());
  EXPECT_EQ(std::ranges::count(times_ms(), first_ms), 1);
}

TEST_F(Speed, IsComparedWithAFirstRungThatWasTimedBefore) {
  const judge::SpeedResult result = measure("half", "steady", "far_slower", 120);
  ASSERT_FALSE(result.failure) << result.failure->message;
  EXPECT_NEAR(result.speedup->median, 10, 0.5);  // 6 ms is the steady pace
  EXPECT_LT(std::ranges::max(times_ms()), 400);  // no call of the first rung among them
}

TEST(FirstTimes, AreFoundByFunctionAndSize) {
  const std::string file = ::testing::TempDir() + "first_times_" + std::to_string(getpid());
  const judge::FirstTimes times(file);
  EXPECT_FALSE(times.find("scan", 64));
  times.add("scan", 64, 2.5);
  times.add("scan", 64, 9);  // the first stands
  times.add("scan", 128, 5);
  EXPECT_EQ(judge::FirstTimes(file).find("scan", 64), 2.5);
  EXPECT_EQ(times.find("scan", 128), 5);
  EXPECT_FALSE(times.find("sort", 64));
  judge::FirstTimes("").add("scan", 64, 1);  // keeps nothing
  unlink(file.c_str());
}

TEST_F(Speed, IsMeasuredAsPreciselyAfterASlowWarmUp) {
  const judge::SpeedResult result = measure("slow_at_first");
  ASSERT_FALSE(result.failure) << result.failure->message;
  EXPECT_GE(result.calls_per_batch, 3);  // as many as the reference's
  EXPECT_EQ(result.rounds, kPlan.least_rounds);
}

TEST_F(Speed, OfASlowSubmissionIsMeasuredInFewCalls) {
  const judge::SpeedResult result = measure("far_slower");
  ASSERT_FALSE(result.failure) << result.failure->message;
  EXPECT_EQ(result.calls_per_batch, 1);
  EXPECT_EQ(result.rounds, kPlan.slow_rounds);
  EXPECT_LT(result.share.median, 0.1);
}

TEST_F(Speed, NoiseIsWhatTheMachineHasWithoutTheSubmission) {
  const judge::SpeedResult result = measure("slow_in_turns");
  ASSERT_FALSE(result.failure) << result.failure->message;
  EXPECT_GT(result.share.spread(), 0.5);
  EXPECT_LT(result.noise, result.share.spread() / 2);
  EXPECT_FALSE(result.steady);
}

TEST_F(Speed, IsNotRaisedByTakingTheDevicesTimeInOthersTurns) {
  const judge::SpeedResult result = measure("takes_device", "needs_time");
  ASSERT_FALSE(result.failure) << result.failure->message;
  EXPECT_LT(result.share.median, 0.8);  // 0.5 without the trick, and 2 if it worked
  EXPECT_LT(result.of_reference->median, 0.8);
}

TEST_F(Speed, OfASubmissionThatTakesTheOthersMemoryIsForbidden) {
  const judge::SpeedResult result = measure("takes_device", "needs_memory");
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind, kind::kForbidden);
}

TEST_F(Speed, IsTheMachinesFaultIfTheMemoryIsMissingWithoutTheSubmission) {
  const int held = open(device().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  EXPECT_THROW(measure("half", "needs_memory"), std::runtime_error);
  close(held);
}

}  // namespace
