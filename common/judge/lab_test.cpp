// SPDX-License-Identifier: MIT
#include "lab_test.h"

#include <algorithm>
#include <cstring>

#include "record.h"

namespace judge {
namespace {

constexpr std::size_t kMaxFindings = 20;
constexpr int kMaxQuickItems = 1 << 17;  // see Options::quick

// The order of one round. Odd: not the natural one. The next two bits are simt::kTurnAtEveryBarrier
// and simt::kSuccessorsFirst: three ways to take turns, one after the other, so that each meets
// both sizes of rounds that differ by their parity; and for every other six rounds a fourth.
std::uint64_t order_of_round(int round, std::uint64_t seed) {
  constexpr std::uint64_t kAtEveryBarrier = 2;
  constexpr std::uint64_t kSuccessorsFirst = 4;
  const bool is_early = round / 6 % 2 == 0;
  const std::uint64_t first = kSuccessorsFirst | (is_early ? 0 : kAtEveryBarrier);
  const std::uint64_t turns[] = {first, kAtEveryBarrier, 0};
  return (seed & ~std::uint64_t{7}) | turns[round % 3] | 1;
}

}  // namespace

void LabTest::SetUp() {
  if (session().search().is_over()) {
    GTEST_SKIP() << "an earlier test has shown what this run looks for";
  }
  if (const auto& cause = session().given_up()) {
    record_failure(
        {cause->kind, "not run, because an earlier test ended the run: " + cause->message});
    GTEST_FAIL() << "not run";
  }
}

void LabTest::TearDown() {
  record_findings(findings_);
  for (const wire::Finding& finding : findings_) session().search().see(finding);
  record_output(session().student().take_output());
}

int LabTest::max_bisections() {
  const bool is_first_failure = ::testing::UnitTest::GetInstance()->failed_test_count() == 0;
  return is_first_failure ? 8 : 1;
}

void LabTest::begin_case() {
  session().arena().reset();
  watched_.clear();
}

void LabTest::watch(const std::string& name, std::size_t offset, const void* h_data,
                    std::size_t size_bytes) {
  Watched watched{name, offset, std::vector<std::byte>(size_bytes)};
  if (size_bytes > 0) std::memcpy(watched.pristine.data(), h_data, size_bytes);
  watched_.push_back(std::move(watched));
}

std::optional<Failure> LabTest::find_damage() const {
  if (const auto trespass = session().arena().find_trespass())
    return Failure{"out_of_bounds", *trespass};
  for (const Watched& watched : watched_) {
    std::vector<std::byte> now(watched.pristine.size());
    session().arena().memory().read(watched.offset, now.data(), now.size());
    const auto changed = std::ranges::mismatch(now, watched.pristine).in1;
    if (changed != now.end()) {
      return Failure{"input_modified", "the input " + watched.name +
                                           " was changed, first at byte " +
                                           std::to_string(changed - now.begin())};
    }
  }
  return std::nullopt;
}

void LabTest::keep_findings(const Outcome& outcome) {
  for (const wire::Finding& finding : outcome.findings) {
    const bool known = std::ranges::any_of(findings_, [&](const wire::Finding& other) {
      return other.kind == finding.kind && other.file == finding.file && other.line == finding.line;
    });
    if (!known && findings_.size() < kMaxFindings) findings_.push_back(finding);
  }
}

std::optional<Failure> LabTest::run(std::vector<wire::Call> calls) {
  wire::Batch batch;
  batch.scratch_bytes = scratch_bytes_;
  batch.schedule_seed = schedule_seed_;
  batch.calls = std::move(calls);
  const Outcome outcome = session().student().run(std::move(batch));
  keep_findings(outcome);
  if (!outcome.failure) return find_damage();
  fatal_ = outcome.fatal;
  return cause_of(outcome);
}

std::pair<int, Failure> LabTest::find_smallest(int passing, int failing, Failure failure,
                                               const Attempt& attempt) {
  for (int step = 0; step < max_bisections() && failing - passing > 1 && !fatal_; ++step) {
    const int middle = passing + (failing - passing) / 2;
    if (auto found = attempt(middle)) {
      // A pattern that does not hold at both sizes was a coincidence.
      if (found->pattern != failure.pattern) found->pattern.clear();
      failure = std::move(*found);
      failing = middle;
    } else {
      passing = middle;
    }
  }
  return {failing, failure};
}

void LabTest::expect_for_sizes(const std::vector<int>& sizes, const Attempt& attempt) {
  int passing = 0;
  for (const int size : sizes) {
    if (options().quick && size > kMaxQuickItems) continue;
    auto failure = attempt(size);
    if (!failure) {
      passing = std::max(passing, size);
      continue;
    }
    if (fatal_) return fail(*failure);
    auto [smallest, cause] = passing < size ? find_smallest(passing, size, *failure, attempt)
                                            : std::pair{size, *failure};
    cause.message = "with " + std::to_string(smallest) + (smallest == 1 ? " item" : " items") +
                    " (the smallest failing size found): " + cause.message;
    return fail(cause);
  }
}

void LabTest::expect_in_any_order(int num_rounds,
                                  const std::function<std::optional<Failure>(int round)>& attempt) {
  std::optional<Failure> failure;
  for (int round = 0; round < num_rounds && !failure; ++round) {
    schedule_seed_ = order_of_round(round, next_seed());
    failure = attempt(round);
  }
  if (failure && !kOnGpu) {
    failure->message += "\nLanes, warps and blocks ran in another order here (order " +
                        std::to_string(schedule_seed_) + "): nothing promises one.";
  }
  schedule_seed_ = 0;
  if (failure) fail(*failure);
}

void LabTest::fail(const Failure& failure) {
  Failure full = failure;
  if (!full.pattern.empty()) full.message += "\nIt looks as if " + full.pattern + ".";
  if (fatal_) session().give_up(full);
  record_failure(full);
  session().search().see(full);
  ADD_FAILURE() << full.kind << ": " << full.message;
}

}  // namespace judge
