// SPDX-License-Identifier: MIT
// Rung 05: the host's work around a kernel, and its handling of errors.
#include <algorithm>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;

constexpr int kTableBlock = 16;  // the starter's, in both directions

struct Table {
  int num_rows;
  int num_columns;
};

class HostFlow : public judge::Fixture {
 protected:
  HostFlow() { expect_kernels_for_host_data(); }

  using Multiply = decltype(lab::multiplication_table);

  // The arrays of one call, to be checked after it.
  struct Case {
    Table table;
    std::vector<float> h_left;
    std::vector<float> h_top;
    Buffer<float> h_table;
    wire::Call call;
  };

  Case make_case(Table table) {
    Case made{table,
              judge::random_integers(next_seed(), table.num_rows, 1000),
              judge::random_integers(next_seed(), table.num_columns, 1000),
              {},
              {}};
    const auto left = input("h_left", made.h_left);
    const auto top = input("h_top", made.h_top);
    made.h_table =
        output<float>("h_table", static_cast<std::size_t>(table.num_rows) * table.num_columns);
    made.call = judge::encode_call<Multiply>("multiplication_table", judge::on_host(left),
                                             table.num_rows, judge::on_host(top), table.num_columns,
                                             judge::on_host(made.h_table));
    return made;
  }

  static std::optional<Failure> compare(const Case& made) {
    const std::vector<float> h_table = made.h_table.download();
    const auto [num_rows, num_columns] = made.table;
    const std::string what = "a table of " + count_of(num_rows, "row") + " and " +
                             count_of(num_columns, "column") + ": ";
    for (std::size_t i = 0; i < h_table.size(); ++i) {
      const int row = static_cast<int>(i / num_columns);
      const int column = static_cast<int>(i % num_columns);
      const float expected = made.h_left[row] * made.h_top[column];
      if (h_table[i] == expected) continue;
      const std::string element = what + element_name(row, column) + " of h_table ";
      if (judge::is_poison(h_table[i])) return explain_unwritten_table(made, element, h_table);
      return Failure{judge::kind::kWrongResult,
                     element + "should be " + std::to_string(made.h_left[row]) + " * " +
                         std::to_string(made.h_top[column]) + " = " + std::to_string(expected) +
                         ", but is " + std::to_string(h_table[i])};
    }
    return std::nullopt;
  }

 private:
  static Failure explain_unwritten_table(const Case& made, const std::string& element,
                                         const std::vector<float>& h_table) {
    Failure failure{judge::kind::kOutputUnwritten, element + "was never written"};
    if (std::ranges::all_of(h_table, [](float item) { return judge::is_poison(item); })) {
      failure.pattern = "the table is never copied back to the host";
      return failure;
    }
    failure.pattern = explain_unwritten(h_table, made.table.num_columns, made.table.num_rows,
                                        kTableBlock, kTableBlock);
    if (failure.pattern.empty()) {
      failure.pattern = "too little is copied back: sizes are in bytes, not in items";
    }
    return failure;
  }
};

TEST_F(HostFlow, MakesTables) {
  for (const Table& table : {Table{1, 1}, Table{16, 16}, Table{3, 40}, Table{100, 7},
                             Table{129, 257}, Table{1, 1000}, Table{1000, 1}}) {
    begin_case();
    const Case made = make_case(table);
    auto failure = run({made.call});
    if (!failure) failure = compare(made);
    if (failure) return fail(*failure);
  }
}

TEST_F(HostFlow, MakesTablesOfManyItems) {
  begin_case();
  const int side = judge::kOnGpu ? 2500 : 500;  // a message has room for 40 MiB
  const Case made = make_case({side + static_cast<int>(next_seed() % 97), side});
  auto failure = run({made.call});
  if (!failure) failure = compare(made);
  if (failure) fail(*failure);
}

// Also checks that an empty table is not an error.
TEST_F(HostFlow, WorksOnEveryCall) {
  begin_case();
  std::vector<Case> cases;
  std::vector<wire::Call> calls;
  for (const Table& table :
       {Table{20, 30}, Table{0, 30}, Table{30, 20}, Table{20, 0}, Table{0, 0}, Table{20, 30}}) {
    cases.push_back(make_case(table));
    calls.push_back(cases.back().call);
  }
  if (const auto failure = run(calls)) return fail(*failure);
  for (const Case& made : cases) {
    if (const auto failure = compare(made)) return fail(*failure);
  }
}

// Both inputs fit the device, the table does not: it has four terabytes. The function must still
// free what it allocated: the checkers report leaks. As an int, the number of items is 524288,
// which fits.
TEST_F(HostFlow, ReportsWhenTheDeviceIsFull) {
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
    failure = Failure{judge::kind::kWrongResult, "h_table was written, although the call failed"};
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
