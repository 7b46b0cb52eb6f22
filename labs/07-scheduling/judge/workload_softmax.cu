// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "fixture/device_loop.cuh"
#include "workload.h"

namespace lab_judge {
namespace {

using judge::Buffer;

constexpr std::size_t kRowLength = 256;  // of the handout's case study
constexpr float kRange = 16;             // of the items

struct FillItem {
  float* d_in;
  std::uint64_t seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    d_in[i] = kRange * judge::random_unit(seed, i);
    return 0;
  }
};

// Items of a row that are wrong.
struct WrongShares {
  const float* d_in;
  const float* d_out;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t row) const {
    const float* const items = d_in + row * kRowLength;
    const float* const shares = d_out + row * kRowLength;
    float largest = items[0];
    for (std::size_t i = 1; i < kRowLength; ++i) {
      if (items[i] > largest) largest = items[i];
    }
    double sum = 0;
    for (std::size_t i = 0; i < kRowLength; ++i) sum += power(items[i], largest);
    std::uint64_t num_wrong = 0;
    for (std::size_t i = 0; i < kRowLength; ++i) {
      const double distance = static_cast<double>(largest) - items[i];
      const double expected = power(items[i], largest) / sum;
      if (!is_share(shares[i], expected, distance, kRowLength)) ++num_wrong;
    }
    return num_wrong;
  }
  static LOCKSTEP_HOST_DEVICE double power(float item, float largest) {
    return exp(static_cast<double>(item) - largest);
  }
};

class SoftmaxSlot : public judge::Slot {
 public:
  SoftmaxSlot(judge::Arena& arena, std::size_t num_rows)
      : num_rows_(num_rows),
        d_in_(arena, "d_in", num_rows * kRowLength),
        d_out_(arena, "d_out", num_rows * kRowLength) {}

  void refresh(std::uint64_t seed) override {
    judge::sum_over(d_in_.size(), FillItem{d_in_.device_data(), seed});
    d_in_.mark_initialized();
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    if (function != "softmax") return encode_copy(function, d_in_, d_in_.size(), d_out_);
    return judge::encode_call<decltype(lab::softmax)>("softmax", d_in_, num_rows_, kRowLength,
                                                      d_out_);
  }
  std::optional<judge::Failure> check() const override {
    const WrongShares wrong{d_in_.device_data(), d_out_.device_data()};
    return expect_none_wrong(judge::sum_over(num_rows_, wrong), d_out_.size(), "items");
  }
  double sequential_ms() const override {
    std::vector<float> h_items = d_in_.download();
    return milliseconds([&] {
      for (auto row = h_items.begin(); row != h_items.end(); row += kRowLength) {
        const float largest = *std::max_element(row, row + kRowLength);
        float sum = 0;
        for (auto item = row; item != row + kRowLength; ++item) {
          sum += * item = std::exp(*item - largest);
        }
        for (auto item = row; item != row + kRowLength; ++item) *item /= sum;
      }
      return h_items.back();
    });
  }

 private:
  std::size_t num_rows_;
  Buffer<float> d_in_;
  Buffer<float> d_out_;
};

}  // namespace

judge::Workload softmax_workload(std::size_t num_items) {
  const std::size_t num_rows = std::max(num_items / kRowLength, std::size_t{1});
  const std::size_t size_bytes = num_rows * kRowLength * sizeof(float);
  return {.function = "softmax",
          .limit = "copy_bandwidth",
          .library = "",
          .num_items = static_cast<double>(num_rows * kRowLength),
          .bytes_per_call = 2.0 * static_cast<double>(size_bytes),
          .arena_bytes_per_call = 2 * size_bytes + 8192,
          .scratch_bytes = 0,
          .make_slot =
              [=](judge::Arena& arena) { return std::make_unique<SoftmaxSlot>(arena, num_rows); },
          .beside_first = false};  // another function
}

}  // namespace lab_judge
