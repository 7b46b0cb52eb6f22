// SPDX-License-Identifier: MIT
#include "workload.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using lab::Curve;
using lab::kNumKinds;
using lab::kNumTerms;
using lab::Sample;

class CurvesSlot : public judge::Slot {
 public:
  CurvesSlot(judge::Arena& arena, std::size_t num_samples)
      : d_samples_(arena, "d_samples", num_samples),
        d_coefficients_(arena, "d_coefficients", kNumKinds * kNumTerms),
        d_curves_(arena, "d_curves", num_samples) {}

  void refresh(std::uint64_t seed) override {
    fill_samples(d_samples_.device_data(), d_samples_.size(), seed);
    d_samples_.mark_initialized();
    d_coefficients_.upload(judge::random_integers(seed, d_coefficients_.size(), kCoefficientLimit));
  }
  void poison_outputs() override { d_curves_.poison(); }
  wire::Call call(const std::string& function) const override {
    const std::size_t num_samples = d_samples_.size();
    if (function != "evaluate_curves") {
      return encode_copy(function, d_samples_, 2 * num_samples, d_curves_);
    }
    return judge::encode_call<decltype(lab::evaluate_curves)>(
        "evaluate_curves", d_samples_, static_cast<int>(num_samples), d_coefficients_, d_curves_);
  }
  std::optional<judge::Failure> check() const override {
    const std::size_t num_wrong =
        count_wrong_curves(d_samples_.device_data(), d_coefficients_.device_data(),
                           d_curves_.device_data(), d_curves_.size());
    return expect_none_wrong(num_wrong, d_curves_.size(), "curves");
  }
  double sequential_ms() const override {
    const std::vector<Sample> h_samples = d_samples_.download();
    const std::vector<float> h_coefficients = d_coefficients_.download();
    std::vector<Curve> h_curves(h_samples.size());
    return milliseconds([&] {
      for (std::size_t i = 0; i < h_curves.size(); ++i) {
        const float* const terms = h_coefficients.data() + h_samples[i].kind * kNumTerms;
        h_curves[i] = curve_by_powers(h_samples[i].x, [&](int j) { return terms[j]; });
      }
      return h_curves.back().value;
    });
  }

 private:
  Buffer<Sample> d_samples_;
  Buffer<float> d_coefficients_;
  Buffer<Curve> d_curves_;
};

}  // namespace

judge::Workload curves_workload(std::size_t num_samples) {
  const std::size_t samples_bytes = num_samples * sizeof(Sample);
  return {.function = "evaluate_curves",
          .limit = "copy_bandwidth",
          .library = "",
          .num_items = static_cast<double>(num_samples),
          .bytes_per_call = 2.0 * static_cast<double>(samples_bytes),
          .arena_bytes_per_call = 2 * samples_bytes + 8192,
          .scratch_bytes = 0,
          .make_slot =
              [=](judge::Arena& arena) { return std::make_unique<CurvesSlot>(arena, num_samples); },
          .beside_first = false};  // another function
}

}  // namespace lab_judge
