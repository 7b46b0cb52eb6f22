// SPDX-License-Identifier: MIT
#include "workload.h"

#include <chrono>
#include <memory>
#include <string>

#include "fixture.h"
#include "protocol/call_encoding.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Arena;
using judge::Slot;
using judge::Workload;

constexpr int kFewBins = 256;
constexpr int kTooManyBins = 1 << 17;

class SamplesSlot : public Slot {
 public:
  SamplesSlot(Arena& arena, std::size_t num_samples, int num_bins, bool is_skewed)
      : d_samples_(arena, "d_samples", num_samples),
        d_counts_(arena, "d_counts", num_bins),
        d_sum_(arena, "d_sum", 1),
        input_{0, num_samples, {num_bins, 0, 1}, is_skewed} {}

  void refresh(std::uint64_t seed) override {
    input_.seed = seed;
    fill(d_samples_.device_data(), input_);
    d_samples_.mark_initialized();
  }
  void poison_outputs() override {
    d_counts_.poison();
    d_sum_.poison();
  }
  wire::Call call(const std::string& function) const override {
    const int num_samples = static_cast<int>(d_samples_.size());
    if (function == "read_bandwidth") {  // the limit adds up the samples
      return judge::encode_call<void(const float*, int, float*, lab::Scratch&, cudaStream_t)>(
          function.c_str(), d_samples_, num_samples, d_sum_);
    }
    return judge::encode_call<decltype(lab::histogram)>(
        function.c_str(), d_samples_, num_samples, input_.bins.num_bins, double{input_.bins.lower},
        double{input_.bins.upper}, d_counts_);
  }
  std::optional<Failure> check() const override {
    if (are_counts_of(d_samples_.device_data(), input_, d_counts_.device_data())) {
      return std::nullopt;
    }
    return Failure{judge::kind::kWrongResult, "the counts are not those of the samples"};
  }
  double sequential_ms() const override {
    const std::vector<float> h_samples = d_samples_.download();
    const auto begin = std::chrono::steady_clock::now();
    const Counts h_counts = count_of(h_samples, input_.bins);
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    volatile unsigned int used = h_counts.front();
    static_cast<void>(used);
    return std::chrono::duration<double, std::milli>(elapsed).count();
  }

 private:
  Buffer<float> d_samples_;
  Buffer<unsigned int> d_counts_;
  Buffer<float> d_sum_;
  Input input_;
};

enum class Skew { kNone, kAll, kEverySecond };

Workload make_workload(std::size_t num_samples, int num_bins, Skew skew) {
  const std::size_t size_bytes = sizeof(float) * num_samples;
  const auto num_slots = std::make_shared<int>(0);
  return {.function = "histogram",
          .limit = "read_bandwidth",
          // CUB would need more than the scratch memory for a copy of these many bins per block.
          .library = num_bins > lab::kMaxBins ? "" : "cub_histogram_even",
          .num_items = static_cast<double>(num_samples),
          .bytes_per_call = static_cast<double>(size_bytes),
          .arena_bytes_per_call = size_bytes + sizeof(unsigned int) * num_bins + 16384,
          .scratch_bytes = scratch_bytes(num_samples),
          .make_slot =
              [=](Arena& arena) {
                const int number = (*num_slots)++;
                const bool is_skewed =
                    skew == Skew::kAll || (skew == Skew::kEverySecond && number % 2 == 1);
                return std::make_unique<SamplesSlot>(arena, num_samples, num_bins, is_skewed);
              },
          .beside_first = false};  // its time depends on the data, which rungs do not share
}

}  // namespace

Workload uniform_samples(std::size_t num_samples) {
  return make_workload(num_samples, kFewBins, Skew::kNone);
}
Workload skewed_samples(std::size_t num_samples) {
  return make_workload(num_samples, kFewBins, Skew::kAll);
}
Workload both_samples(std::size_t num_samples) {
  return make_workload(num_samples, kFewBins, Skew::kEverySecond);
}
Workload skewed_samples_of_many_bins(std::size_t num_samples) {
  return make_workload(num_samples, lab::kMaxBins, Skew::kAll);
}
Workload samples_of_too_many_bins(std::size_t num_samples) {
  return make_workload(num_samples, kTooManyBins, Skew::kNone);
}

}  // namespace lab_judge
