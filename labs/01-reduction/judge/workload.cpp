// SPDX-License-Identifier: MIT
#include "workload.h"

#include <chrono>
#include <numeric>

#include "fixture.h"

namespace lab_judge {
namespace {

// One timed call of reduce_sum or reduce_mean: fresh whole numbers, whose sum the judge knows
// exactly.
class SumSlot : public judge::Slot {
 public:
  SumSlot(judge::Arena& arena, std::size_t num_items, bool is_mean)
      : d_in_(arena, "d_in", num_items), d_out_(arena, "d_out", 1), is_mean_(is_mean) {}

  void refresh(std::uint64_t seed) override {
    sum_ = judge::fill_integers_and_sum(d_in_.device_data(), d_in_.size(), seed, 127);
    d_in_.mark_initialized();
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    return judge::encode_call<decltype(lab::reduce_sum)>(function.c_str(), d_in_,
                                                         static_cast<int>(d_in_.size()), d_out_);
  }
  std::optional<Failure> check() const override {
    const float got = d_out_.download()[0];
    const double expected = is_mean_ ? sum_ / static_cast<double>(d_in_.size()) : sum_;
    const double tolerance = is_mean_ ? 2 * kUnit * std::abs(expected) : 0;  // the division's
    if (is_close(got, expected, tolerance)) return std::nullopt;
    return Failure{judge::kind::kWrongResult,
                   std::string("expected the ") + (is_mean_ ? "mean " : "sum ") +
                       judge::number(expected) + ", got " + judge::number(got)};
  }
  double sequential_ms() const override {
    const std::vector<float> h_in = d_in_.download();
    const auto begin = std::chrono::steady_clock::now();
    volatile float sum = std::accumulate(h_in.begin(), h_in.end(), 0.0F);
    static_cast<void>(sum);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
  }

 private:
  Buffer<float> d_in_;
  Buffer<float> d_out_;
  bool is_mean_;
  double sum_ = 0;
};

judge::Workload workload(std::size_t num_items, bool is_mean) {
  const std::size_t size_bytes = sizeof(float) * num_items;
  return {
      .function = is_mean ? "reduce_mean" : "reduce_sum",
      .limit = "read_bandwidth",
      .library = is_mean ? "" : "cub_reduce_sum",
      .num_items = static_cast<double>(num_items),
      .bytes_per_call = static_cast<double>(size_bytes),
      .arena_bytes_per_call = size_bytes + 4096,
      .scratch_bytes = num_items / 4 + (std::size_t{64} << 10),
      .make_slot =
          [=](judge::Arena& arena) { return std::make_unique<SumSlot>(arena, num_items, is_mean); },
      .beside_first = !is_mean};  // the first rung has no reduce_mean
}

}  // namespace

judge::Workload sum_workload(std::size_t num_items) { return workload(num_items, false); }
judge::Workload mean_workload(std::size_t num_items) { return workload(num_items, true); }

}  // namespace lab_judge
