// SPDX-License-Identifier: MIT
// What the tests of rungs 05 and 05b share: tables that the host asks for.
#pragma once

#include <algorithm>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"

namespace lab_judge {
inline constexpr int kTableBlock = 16;  // the starter's, in both directions

struct Table {
  int num_rows;
  int num_columns;
};

class TableFixture : public judge::Fixture {
 protected:
  TableFixture() { expect_kernels_for_host_data(); }

  using Multiply = decltype(lab::multiplication_table);

  // The arrays of one call, to be checked after it.
  struct Case {
    Table table;
    std::vector<float> h_left;
    std::vector<float> h_top;
    judge::Buffer<float> h_table;
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

  static std::optional<judge::Failure> compare(const Case& made) {
    const std::vector<float> h_table = made.h_table.download();
    const auto [num_rows, num_columns] = made.table;
    const std::string what =
        "a table of " + counted(num_rows, "row") + " and " + counted(num_columns, "column") + ": ";
    for (std::size_t i = 0; i < h_table.size(); ++i) {
      const int row = static_cast<int>(i / num_columns);
      const int column = static_cast<int>(i % num_columns);
      const float expected = made.h_left[row] * made.h_top[column];
      if (h_table[i] == expected) continue;
      const std::string element = what + element_name(row, column) + " of h_table ";
      if (judge::is_poison(h_table[i])) return explain_unwritten_table(made, element, h_table);
      return judge::Failure{judge::kind::kWrongResult,
                            element + "should be " + figure(made.h_left[row]) + " * " +
                                figure(made.h_top[column]) + " = " + figure(expected) +
                                ", but is " + figure(h_table[i])};
    }
    return std::nullopt;
  }

  void expect_tables(const std::vector<Table>& tables) {
    for (const Table& table : tables) {
      begin_case();
      const Case made = make_case(table);
      auto failure = run({made.call});
      if (!failure) failure = compare(made);
      if (failure) return fail(*failure);
    }
  }

  // One call after the other, in the same process.
  void expect_on_every_call(const std::vector<Table>& tables) {
    begin_case();
    std::vector<Case> cases;
    std::vector<wire::Call> calls;
    for (const Table& table : tables) {
      cases.push_back(make_case(table));
      calls.push_back(cases.back().call);
    }
    if (const auto failure = run(calls)) return fail(*failure);
    for (const Case& made : cases) {
      if (const auto failure = compare(made)) return fail(*failure);
    }
  }

 private:
  static judge::Failure explain_unwritten_table(const Case& made, const std::string& element,
                                                const std::vector<float>& h_table) {
    judge::Failure failure{judge::kind::kOutputUnwritten, element + "was never written"};
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

}  // namespace lab_judge
