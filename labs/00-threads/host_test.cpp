// SPDX-License-Identifier: MIT
// Rungs 04 and 05: what the host has to do around a kernel, and what it does when that fails.
#include <algorithm>

#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"
#include "threads_test.h"

namespace threads_test {
namespace {

using judge::Buffer;
using judge::Failure;

// ---- rung 04

struct Fill {
  int num_items;
  int num_blocks;
  int threads_per_block;
  int shared_bytes = 0;
  const char* error = nullptr;  // null: the launch works
};

std::string text(const Fill& fill) {
  std::string text =
      count_of(fill.num_blocks, "block") + " of " + count_of(fill.threads_per_block, "thread");
  if (fill.shared_bytes > 0) {
    text += " with " + count_of(fill.shared_bytes, "byte") + " of shared memory";
  }
  return text +
         (fill.error == nullptr ? ", which works" : std::string(", which gives ") + fill.error);
}

// The first since CUDA 13, the second before.
constexpr const char* kBadShape = "cudaErrorInvalidValue or cudaErrorInvalidConfiguration";
constexpr const char* kBadSize = "cudaErrorInvalidValue";

class CheckedLaunch : public judge::Fixture {
 protected:
  // Makes the calls one after the other, in the same process.
  std::optional<Failure> fill(const std::vector<Fill>& fills) {
    begin_case();
    std::vector<int> firsts;
    std::vector<Buffer<int>> d_outs;
    std::vector<wire::Call> calls;
    std::string list;
    for (const Fill& fill : fills) {
      // A checker reports every CUDA error that it sees, even one that was asked for.
      if (fill.error != nullptr && judge::options().quick) continue;
      firsts.push_back(static_cast<int>(next_seed() % 100000));
      d_outs.push_back(output<int>("d_out_" + std::to_string(d_outs.size()), fill.num_items));
      auto call = judge::encode_call<decltype(lab::checked_fill)>(
          "checked_fill", firsts.back(), fill.num_items, fill.num_blocks, fill.threads_per_block,
          fill.shared_bytes, d_outs.back());
      if (fill.error != nullptr) call = judge::must_throw(fill.error, std::move(call));
      calls.push_back(std::move(call));
      list += "\n  " + std::to_string(calls.size()) + ". " + text(fill);
    }
    auto failure = run(calls);
    for (std::size_t i = 0; i < calls.size() && !failure; ++i) {
      failure = compare("call " + std::to_string(i + 1), !calls[i].error.empty(), firsts[i],
                        d_outs[i].download());
    }
    if (failure) tell_case(*failure, "", "\nThe calls were:" + list);
    return failure;
  }

  void expect(const std::vector<Fill>& fills) {
    if (const auto failure = fill(fills)) fail(*failure);
  }

 private:
  static std::optional<Failure> compare(const std::string& what, bool has_failed, int first,
                                        const std::vector<int>& h_out) {
    for (std::size_t i = 0; i < h_out.size(); ++i) {
      const std::string item = what + ": d_out[" + std::to_string(i) + "]";
      const bool unwritten = judge::is_poison(h_out[i]);
      if (has_failed && !unwritten) {
        return Failure{"wrong_result", item + " was written, although the launch cannot work"};
      }
      if (has_failed || h_out[i] == first + static_cast<int>(i)) continue;
      if (unwritten) return Failure{"output_unwritten", item + " was never written"};
      return Failure{"wrong_result", item + " should be " +
                                         std::to_string(first + static_cast<int>(i)) + ", but is " +
                                         std::to_string(h_out[i])};
    }
    return std::nullopt;
  }
};

TEST_F(CheckedLaunch, WorksWhenTheLaunchDoes) {
  expect({{100, 1, 32}, {2024, 4, 128}, {3000, 1, 1024}, {1, 7, 33, 1024}, {500, 2, 64, 49152}});
}

TEST_F(CheckedLaunch, ReportsTooManyThreads) {
  expect({{100, 1, 2048, 0, kBadShape}, {100, 1, 1024}, {100, 9, 1025, 0, kBadShape}, {60, 2, 32}});
}

TEST_F(CheckedLaunch, ReportsAnEmptyLaunch) {
  expect({{100, 0, 128, 0, kBadShape}, {100, 1, 128}, {100, 4, 0, 0, kBadShape}, {2024, 4, 128}});
}

TEST_F(CheckedLaunch, ReportsTooMuchSharedMemory) {
  expect({{100, 1, 128, 1 << 20, kBadSize}, {100, 1, 128}});
}

TEST_F(CheckedLaunch, ReportsOneAfterTheOther) {
  expect({{100, 1, 128, 1 << 20, kBadSize},
          {100, 0, 128, 0, kBadShape},
          {100, 1, 2048, 0, kBadShape},
          {100, 1, 128, 1 << 20, kBadSize},
          {100, 3, 17}});
}

// ---- rung 05

constexpr int kTableBlock = 16;  // the starter's, in both directions

struct Table {
  int num_rows;
  int num_columns;
};

class HostFlow : public judge::Fixture {
 protected:
  using Multiply = decltype(lab::multiplication_table);

  // One call that is under way: its arrays, to look at once it has been made.
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
    const std::string what = "a table of " + std::to_string(num_rows) + " rows and " +
                             std::to_string(num_columns) + " columns: ";
    for (std::size_t i = 0; i < h_table.size(); ++i) {
      const int row = static_cast<int>(i / num_columns);
      const int column = static_cast<int>(i % num_columns);
      const float expected = made.h_left[row] * made.h_top[column];
      if (h_table[i] == expected) continue;
      const std::string element = what + element_name(row, column) + " of h_table, row first, ";
      if (judge::is_poison(h_table[i])) return explain_unwritten_table(made, element, h_table);
      return Failure{"wrong_result", element + "should be " + std::to_string(made.h_left[row]) +
                                         " * " + std::to_string(made.h_top[column]) + " = " +
                                         std::to_string(expected) + ", but is " +
                                         std::to_string(h_table[i])};
    }
    return std::nullopt;
  }

 private:
  static Failure explain_unwritten_table(const Case& made, const std::string& element,
                                         const std::vector<float>& h_table) {
    Failure failure{"output_unwritten", element + "was never written"};
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

TEST_F(HostFlow, MakesManyItems) {
  begin_case();
  const int side = judge::kOnGpu ? 5000 : 500;
  const Case made = make_case({side + static_cast<int>(next_seed() % 97), side});
  auto failure = run({made.call});
  if (!failure) failure = compare(made);
  if (failure) fail(*failure);
}

// Also that an empty table is one, and not an error.
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

// Both inputs fit the device, the table does not. What was allocated for it must be freed: the
// checkers tell.
TEST_F(HostFlow, ReportsWhenTheDeviceIsFull) {
  constexpr int kSide = 1000000;  // a table of four terabytes
  begin_case();
  const Case before = make_case({20, 30});
  std::vector<wire::Call> calls = {before.call};
  const auto left = input("h_left", judge::random_integers(next_seed(), kSide, 1000));
  const auto top = input("h_top", judge::random_integers(next_seed(), kSide, 1000));
  const auto h_corner = output<float>("h_table", 1);  // so small, as nothing may be written
  if (!judge::options().quick) {  // a checker reports every CUDA error, even one asked for
    calls.push_back(judge::must_throw(
        "cudaErrorMemoryAllocation",
        judge::encode_call<Multiply>("multiplication_table", judge::on_host(left), kSide,
                                     judge::on_host(top), kSide, judge::on_host(h_corner))));
  }
  const Case after = make_case({30, 20});
  calls.push_back(after.call);
  auto failure = run(calls);
  if (!failure && !judge::is_poison(h_corner.download()[0])) {
    failure = Failure{"wrong_result", "h_table was written, although the call failed"};
  }
  if (!failure) failure = compare(before);
  if (!failure) failure = compare(after);
  if (failure) {
    tell_case(*failure, "", "\nThe second of three calls asked for a table of 1000000 x 1000000.");
    fail(*failure);
  }
}

}  // namespace
}  // namespace threads_test
