// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "fixture/device_loop.cuh"
#include "fixture/options.h"
#include "workload.h"

namespace lab_judge {
namespace {

using judge::Buffer;

constexpr std::size_t kShortRow = 256;  // of the handout's case study
// So long that no cache of a GPU holds the rows under way, and that a block has several rounds.
constexpr std::size_t kLongRow = std::size_t{1} << (judge::kOnGpu ? 18 : 14);
// Threads that add up a row: neighbours read neighbours, and no thread has too much to do.
constexpr std::size_t kLeastThreads = 8;
constexpr std::size_t kItemsPerThread = 1024;
constexpr float kRange = 16;  // of the items

struct FillItem {
  float* d_in;
  std::uint64_t seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    d_in[i] = kRange * judge::random_unit(seed, i);
    return 0;
  }
};

LOCKSTEP_HOST_DEVICE inline double power(float item, double largest) {
  return exp(static_cast<double>(item) - largest);
}

// Of some items of a row, or of all: the largest, and the sum of their powers.
struct Denominator {
  double largest;
  double sum;
};

// Adds up every pieces_per_row-th item of a row.
struct AddPiece {
  const float* d_in;
  std::size_t row_length;
  std::size_t pieces_per_row;
  Denominator* d_pieces;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t piece) const {
    const float* const items = d_in + piece / pieces_per_row * row_length;
    const std::size_t begin = piece % pieces_per_row;
    float largest = items[begin];
    for (std::size_t i = begin; i < row_length; i += pieces_per_row) {
      if (items[i] > largest) largest = items[i];
    }
    double sum = 0;
    for (std::size_t i = begin; i < row_length; i += pieces_per_row) {
      sum += power(items[i], largest);
    }
    d_pieces[piece] = {largest, sum};
    return 0;
  }
};

struct AddRow {
  const Denominator* d_pieces;
  std::size_t pieces_per_row;
  Denominator* d_rows;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t row) const {
    const Denominator* const pieces = d_pieces + row * pieces_per_row;
    Denominator all = pieces[0];
    for (std::size_t i = 1; i < pieces_per_row; ++i) {
      if (pieces[i].largest > all.largest) all.largest = pieces[i].largest;
    }
    all.sum = 0;
    for (std::size_t i = 0; i < pieces_per_row; ++i) {
      all.sum += pieces[i].sum * exp(pieces[i].largest - all.largest);
    }
    d_rows[row] = all;
    return 0;
  }
};

struct WrongShare {
  const float* d_in;
  const float* d_out;
  const Denominator* d_rows;
  std::size_t row_length;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    const Denominator row = d_rows[i / row_length];
    const double expected = power(d_in[i], row.largest) / row.sum;
    const double distance = row.largest - d_in[i];
    return is_share(d_out[i], expected, distance, static_cast<int>(row_length)) ? 0 : 1;
  }
};

class SoftmaxSlot : public judge::Slot {
 public:
  SoftmaxSlot(judge::Arena& arena, std::size_t num_rows, std::size_t row_length)
      : num_rows_(num_rows),
        row_length_(row_length),
        d_in_(arena, "d_in", num_rows * row_length),
        d_out_(arena, "d_out", num_rows * row_length),
        rows_(num_rows) {}

  void refresh(std::uint64_t seed) override {
    judge::sum_over(d_in_.size(), FillItem{d_in_.device_data(), seed});
    d_in_.mark_initialized();
    const std::size_t pieces_per_row =
        std::min(row_length_, std::max(kLeastThreads, row_length_ / kItemsPerThread));
    judge::PrivateArray<Denominator> pieces(num_rows_ * pieces_per_row);
    judge::sum_over(num_rows_ * pieces_per_row, AddPiece{d_in_.device_data(), row_length_,
                                                         pieces_per_row, pieces.device_data()});
    judge::sum_over(num_rows_, AddRow{pieces.device_data(), pieces_per_row, rows_.device_data()});
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    if (function != "softmax") return encode_copy(function, d_in_, d_in_.size(), d_out_);
    return judge::encode_call<decltype(lab::softmax)>("softmax", d_in_, static_cast<int>(num_rows_),
                                                      static_cast<int>(row_length_), d_out_);
  }
  std::optional<judge::Failure> check() const override {
    const WrongShare wrong{d_in_.device_data(), d_out_.device_data(), rows_.device_data(),
                           row_length_};
    return expect_none_wrong(judge::sum_over(d_out_.size(), wrong), d_out_.size(), "items");
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
  mutable judge::PrivateArray<Denominator> rows_;
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
