// SPDX-License-Identifier: MIT
#include <algorithm>

#include "reference_runs.h"
#include "workload.h"

namespace lab_judge {
namespace {

using judge::Buffer;

// As long as a row may be: one thread per row would be slow.
constexpr std::size_t kRowLength = 1024;
constexpr double kFreeShare = 0.5;  // the longest of all runs has some 16 cells

class RunsSlot : public judge::Slot {
 public:
  RunsSlot(judge::Arena& arena, std::size_t num_rows, std::size_t row_length)
      : grid_{static_cast<int>(num_rows), static_cast<int>(row_length), {}},
        d_cells_(arena, "d_cells", num_rows * row_length),
        d_labels_(arena, "d_labels", num_rows * row_length),
        d_num_runs_(arena, "d_num_runs", num_rows) {}

  void refresh(std::uint64_t seed) override {
    grid_ = random_cells(grid_.num_rows, grid_.row_length, kFreeShare, seed);
    d_cells_.upload(grid_.cells);
  }
  void poison_outputs() override {
    d_labels_.poison();
    d_num_runs_.poison();
  }
  wire::Call call(const std::string& function) const override {
    return judge::encode_call<decltype(lab::label_runs)>(function.c_str(), d_cells_, grid_.num_rows,
                                                         grid_.row_length, d_labels_, d_num_runs_);
  }
  std::optional<judge::Failure> check() const override {
    const Runs expected = find_runs(grid_);
    const std::size_t num_wrong = count_wrong(expected.labels, d_labels_.download()) +
                                  count_wrong(expected.num_runs, d_num_runs_.download());
    return expect_none_wrong(num_wrong, d_labels_.size() + d_num_runs_.size(),
                             "labels and numbers of runs");
  }
  double sequential_ms() const override {
    return milliseconds([&] { return static_cast<float>(find_runs(grid_).labels.back()); });
  }

 private:
  static std::size_t count_wrong(const std::vector<int>& expected, const std::vector<int>& got) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < got.size(); ++i) count += got[i] != expected[i] ? 1 : 0;
    return count;
  }

  Cells grid_;
  Buffer<int> d_cells_;
  Buffer<int> d_labels_;
  Buffer<int> d_num_runs_;
};

}  // namespace

judge::Workload runs_workload(std::size_t num_cells) {
  const std::size_t row_length = std::clamp(num_cells, std::size_t{1}, kRowLength);
  const std::size_t num_rows = num_cells / row_length;
  const std::size_t size_bytes = (2 * row_length + 1) * num_rows * sizeof(int);
  return {.function = "label_runs",
          .limit = "",
          .library = "",
          .num_items = static_cast<double>(num_rows * row_length),
          .bytes_per_call = static_cast<double>(size_bytes),
          .arena_bytes_per_call = size_bytes + 8192,
          .scratch_bytes = 0,
          .make_slot =
              [=](judge::Arena& arena) {
                return std::make_unique<RunsSlot>(arena, num_rows, row_length);
              },
          .beside_first = false};  // another function
}

}  // namespace lab_judge
