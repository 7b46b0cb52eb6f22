// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "fixture/options.h"
#include "workload.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Buffer;

constexpr std::size_t kShortRow = 256;  // of the handout's case study
// So long that no cache of a GPU holds the rows under way, and that a block has several rounds.
constexpr std::size_t kLongRow = std::size_t{1} << (judge::kOnGpu ? 18 : 14);

class SoftmaxSlot : public judge::Slot {
 public:
  SoftmaxSlot(judge::Arena& arena, std::size_t num_rows, std::size_t row_length)
      : num_rows_(num_rows),
        row_length_(row_length),
        d_in_(arena, "d_in", num_rows * row_length),
        d_out_(arena, "d_out", num_rows * row_length),
        rows_(num_rows, row_length) {}

  void refresh(std::uint64_t seed) override {
    fill_items(d_in_.device_data(), d_in_.size(), seed);
    d_in_.mark_initialized();
    rows_.add_up(d_in_.device_data());
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    if (function != "softmax") return encode_copy(function, d_in_, d_in_.size(), d_out_);
    return judge::encode_call<decltype(lab::softmax)>("softmax", d_in_, static_cast<int>(num_rows_),
                                                      static_cast<int>(row_length_), d_out_);
  }
  std::optional<judge::Failure> check() const override {
    const std::size_t num_wrong =
        rows_.count_wrong_shares(d_in_.device_data(), d_out_.device_data());
    return expect_none_wrong(num_wrong, d_out_.size(), "items");
  }
  double sequential_ms() const override {
    std::vector<float> h_items = d_in_.download();
    return milliseconds([&] {
      for (auto row = h_items.begin(); row != h_items.end();) {
        const auto end = row + static_cast<std::ptrdiff_t>(row_length_);
        const float largest = *std::max_element(row, end);
        float sum = 0;
        for (auto item = row; item != end; ++item) sum += * item = std::exp(*item - largest);
        for (; row != end; ++row) *row /= sum;
      }
      return h_items.back();
    });
  }

 private:
  std::size_t num_rows_;
  std::size_t row_length_;
  Buffer<float> d_in_;
  Buffer<float> d_out_;
  RowSums rows_;
};

judge::Workload workload(std::size_t num_rows, std::size_t row_length) {
  const std::size_t num_items = num_rows * row_length;
  const std::size_t size_bytes = num_items * sizeof(float);
  return {.function = "softmax",
          .limit = "copy_bandwidth",
          .library = "",
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = 2.0 * static_cast<double>(size_bytes),
          .arena_bytes_per_call = 2 * size_bytes + 8192,
          .scratch_bytes = 0,
          .make_slot =
              [=](judge::Arena& arena) {
                return std::make_unique<SoftmaxSlot>(arena, num_rows, row_length);
              },
          .beside_first = false};  // another function
}

}  // namespace

judge::Workload short_rows_workload(std::size_t num_items) {
  return workload(std::max(num_items / kShortRow, std::size_t{1}), kShortRow);
}

judge::Workload long_rows_workload(std::size_t num_items) {
  const std::size_t row_length = std::clamp(num_items, std::size_t{1}, kLongRow);
  return workload(num_items / row_length, row_length);
}

}  // namespace lab_judge
