// SPDX-License-Identifier: MIT
// Rung 05b: rung 05's work, and what is left behind when a CUDA call fails.

#include "fixture_tables.h"

namespace lab_judge {
namespace {

class NoLeak : public TableFixture {};

TEST_F(NoLeak, MakesTables) { expect_tables({{1, 1}, {3, 40}, {129, 257}, {1, 1000}}); }

TEST_F(NoLeak, WorksOnEveryCall) {
  expect_on_every_call({{20, 30}, {0, 30}, {30, 20}, {20, 0}, {0, 0}, {20, 30}});
}

// Every allocation that the function asks for fails in its turn. What it has got before must be
// freed: the checkers report leaks. On a GPU no allocation is asked to fail.
TEST_F(NoLeak, FreesAllWhenAnyAllocationFails) {
  begin_case();
  const Case before = make_case({20, 30});
  auto failure = run({before.call});
  const std::uint32_t num_allocations = this->num_allocations();
  for (std::uint32_t number = 1; number <= num_allocations && !failure; ++number) {
    begin_case();
    const Case made = make_case({20, 30});
    pose({.failing_allocation = number});
    failure = run({judge::must_throw("cudaErrorMemoryAllocation", made.call)});
    if (!failure && !judge::is_poison(made.h_table.download()[0])) {
      failure = judge::Failure{judge::kind::kWrongResult,
                               "h_table was written, although the call failed"};
    }
    if (failure) {
      tell_case(*failure, "",
                "\nIn this call cudaMalloc number " + std::to_string(number) + " of " +
                    std::to_string(num_allocations) + " had no memory left.");
    }
  }
  if (failure) fail(*failure);
}

// Both inputs fit the device, the table does not: it has four terabytes. The function must still
// free what it allocated: the checkers report leaks. As an int, the number of items is 524288,
// which fits.
TEST_F(NoLeak, ReportsWhenTheDeviceIsFull) {
  constexpr int kRows = 1 << 19;
  constexpr int kColumns = (1 << 21) + 1;
  begin_case();
  const Case before = make_case({20, 30});
  std::vector<wire::Call> calls = {before.call};
  const auto left = input("h_left", judge::random_integers(next_seed(), kRows, 1000));
  const auto top = input("h_top", judge::random_integers(next_seed(), kColumns, 1000));
  const auto h_corner = output<float>("h_table", 1);  // small, since nothing may be written
  if (!judge::options().quick) {  // a checker reports every CUDA error, even one asked for
    calls.push_back(judge::must_throw(
        "cudaErrorMemoryAllocation",
        judge::encode_call<Multiply>("multiplication_table", judge::on_host(left), kRows,
                                     judge::on_host(top), kColumns, judge::on_host(h_corner))));
  }
  const Case after = make_case({30, 20});
  calls.push_back(after.call);
  auto failure = run(calls);
  if (!failure && !judge::is_poison(h_corner.download()[0])) {
    failure =
        judge::Failure{judge::kind::kWrongResult, "h_table was written, although the call failed"};
  }
  if (!failure) failure = compare(before);
  if (!failure) failure = compare(after);
  if (failure) {
    tell_case(*failure, "",
              "\nThe second of three calls asked for a table of 524288 x 2097153, four terabytes.");
    fail(*failure);
  }
}

}  // namespace
}  // namespace lab_judge
