// SPDX-License-Identifier: MIT
// Rung 06: runs of free cells, labelled by a kernel that deadlocks as given.
#include <algorithm>

#include "fixture/fixture.h"
#include "fixture/options.h"
#include "reference_runs.h"
#include "scheduling.cuh"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;

std::string text(const Cells& grid) {
  return judge::counted(grid.num_rows, "row") + " of " + std::to_string(grid.row_length);
}

// A clause that completes "It looks as if ...", from all labels; or nothing.
std::string explain_labels(const Cells& grid, const Runs& expected, const std::vector<int>& got) {
  bool stops_early = true;
  bool runs_over_walls = true;
  bool is_first = true;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected.labels[i]) continue;
    const int column = static_cast<int>(i) % grid.row_length;
    stops_early = stops_early && got[i] > column && got[i] < expected.labels[i];
    runs_over_walls = runs_over_walls && got[i] > expected.labels[i] && got[i] <= grid.row_length;
    is_first = is_first && got[i] > 0 && got[i] <= column && expected.labels[i] > 0;
  }
  if (stops_early) {
    return "labels stop on their way through a run: "
           "the loop ends before the last label has arrived everywhere";
  }
  if (runs_over_walls) return "labels pass through walls";
  if (is_first) return "labels come from the left: a run has the number of its last cell";
  return {};
}

class Barrier : public judge::Fixture {
 protected:
  Cells random_grid(int num_rows, int row_length, double share) {
    return random_cells(num_rows, row_length, share, next_seed());
  }

  struct Case {
    Cells grid;
    Buffer<int> d_labels;
    Buffer<int> d_num_runs;
    wire::Call call;
  };
  Case make_case(const Cells& grid, const std::string& number = {}) {
    Case made{grid, {}, {}, {}};
    const auto d_cells = input("d_cells" + number, grid.cells);
    made.d_labels = output<int>("d_labels" + number, grid.cells.size());
    made.d_num_runs = output<int>("d_num_runs" + number, grid.num_rows);
    made.call = judge::encode_call<decltype(lab::label_runs)>(
        "label_runs", d_cells, grid.num_rows, grid.row_length, made.d_labels, made.d_num_runs);
    return made;
  }

  static std::optional<Failure> compare(const Case& made) {
    const Runs expected = find_runs(made.grid);
    const std::vector<int> labels = made.d_labels.download();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == expected.labels[i]) continue;
      const std::string what = text(made.grid) + ": d_labels[" +
                               std::to_string(i / made.grid.row_length) + "][" +
                               std::to_string(i % made.grid.row_length) + "]";
      if (judge::is_poison(labels[i])) {
        return Failure{judge::kind::kOutputUnwritten, what + " was never written"};
      }
      return Failure{judge::kind::kWrongResult,
                     what + " should be " + std::to_string(expected.labels[i]) + ", but is " +
                         std::to_string(labels[i]),
                     explain_labels(made.grid, expected, labels)};
    }
    const std::vector<int> num_runs = made.d_num_runs.download();
    for (std::size_t row = 0; row < num_runs.size(); ++row) {
      if (num_runs[row] == expected.num_runs[row]) continue;
      const std::string what = text(made.grid) + ": d_num_runs[" + std::to_string(row) + "]";
      if (judge::is_poison(num_runs[row])) {
        return Failure{judge::kind::kOutputUnwritten, what + " was never written"};
      }
      return Failure{judge::kind::kWrongResult, what + " should be " +
                                                    std::to_string(expected.num_runs[row]) +
                                                    ", but is " + std::to_string(num_runs[row])};
    }
    return std::nullopt;
  }

  std::optional<Failure> label(const Cells& grid) {
    begin_case();
    const Case made = make_case(grid);
    if (auto failure = run({made.call})) return failure;
    return compare(made);
  }
};

TEST_F(Barrier, FollowsTheExample) {
  if (const auto failure = label({1, 7, {1, 1, 0, 0, 1, 1, 1}})) fail(*failure);
}

TEST_F(Barrier, IsMetByWholeWarps) {
  expect_for_sizes({32, 64, 256, 1024}, [&](int row_length) {
    return label(random_grid(3, row_length, row_length == 1024 ? 0.8 : 0.95));
  });
}

TEST_F(Barrier, IsMetInRowsOfAnyLength) {
  std::vector<int> lengths = {1, 2, 3, 31, 33, 63, 65, 100, 255, 257, 1000, 1023};
  for (int i = 0; i < 4; ++i) lengths.push_back(1 + static_cast<int>(next_seed() % 500));
  expect_for_sizes(lengths, [&](int row_length) { return label(random_grid(2, row_length, 0.9)); });
}

// Rows that end at different times, and one that goes on longest.
TEST_F(Barrier, IsMetInEveryRound) {
  Cells grid = random_grid(6, 150, 0.5);
  std::fill_n(grid.cells.begin(), 150, 0);        // row 0: walls
  std::fill_n(grid.cells.begin() + 150, 150, 1);  // row 1: one run
  std::fill_n(grid.cells.begin() + 300, 150, 1);  // row 2: the run ends before the row does
  grid.cells[449] = 0;
  std::fill_n(grid.cells.begin() + 450, 150, 1);  // row 3: the first cell is a wall
  grid.cells[450] = 0;
  if (const auto failure = label(grid)) fail(*failure);
}

TEST_F(Barrier, IsMetInManyRows) {
  const int num_rows = !judge::kOnGpu ? 200 : judge::options().few_launches ? 2000 : 20000;
  if (const auto failure = label(random_grid(num_rows, 100, 0.7))) fail(*failure);
}

TEST_F(Barrier, WorksOnEveryCall) {
  begin_case();
  std::vector<Case> cases;
  std::vector<wire::Call> calls;
  for (const Cells& grid :
       {random_grid(3, 40, 0.9), random_grid(0, 40, 0.9), random_grid(3, 0, 0.9),
        random_grid(2, 90, 0.9), random_grid(3, 40, 0.9)}) {
    cases.push_back(make_case(grid, "_" + std::to_string(cases.size())));
    calls.push_back(cases.back().call);
  }
  if (const auto failure = run(calls)) return fail(*failure);
  for (const Case& made : cases) {
    if (const auto failure = compare(made)) return fail(*failure);
  }
}

TEST_F(Barrier, DependsOnNoOrderOfExecution) {
  for (int round = 0; round < 6; ++round) {
    set_schedule(next_seed() | 1);
    const int row_length = 40 + static_cast<int>(next_seed() % 200);
    if (const auto failure = label(random_grid(3, row_length, 0.9))) return fail(*failure);
  }
}

}  // namespace
}  // namespace lab_judge
