// SPDX-License-Identifier: MIT
#include "fixture/device_loop.cuh"
#include "workload.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using lab::Curve;
using lab::kNumKinds;
using lab::kNumTerms;
using lab::Sample;

struct FillSample {
  Sample* d_samples;
  std::uint64_t seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    d_samples[i] = random_sample(seed, i);
    return 0;
  }
};

struct Terms {
  const float* coefficients;  // (kNumTerms)
  LOCKSTEP_HOST_DEVICE float operator()(int j) const { return coefficients[j]; }
};

struct Expected {
  const Sample* samples;
  const float* coefficients;  // (kNumKinds, kNumTerms)
  LOCKSTEP_HOST_DEVICE Curve curve(std::size_t i) const {
    return curve_by_powers(samples[i].x, Terms{coefficients + samples[i].kind * kNumTerms});
  }
};

struct WrongCurve {
  Expected expected;
  const Curve* d_curves;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    const Curve curve = expected.curve(i);
    return d_curves[i].value == curve.value && d_curves[i].slope == curve.slope ? 0 : 1;
  }
};

class CurvesSlot : public judge::Slot {
 public:
  CurvesSlot(judge::Arena& arena, std::size_t num_samples)
      : d_samples_(arena, "d_samples", num_samples),
        d_coefficients_(arena, "d_coefficients", kNumKinds * kNumTerms),
        d_curves_(arena, "d_curves", num_samples) {}

  void refresh(std::uint64_t seed) override {
    judge::sum_over(d_samples_.size(), FillSample{d_samples_.device_data(), seed});
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
    const WrongCurve wrong{{d_samples_.device_data(), d_coefficients_.device_data()},
                           d_curves_.device_data()};
    return expect_none_wrong(judge::sum_over(d_curves_.size(), wrong), d_curves_.size(), "curves");
  }
  double sequential_ms() const override {
    const std::vector<Sample> h_samples = d_samples_.download();
    const std::vector<float> h_coefficients = d_coefficients_.download();
    const Expected expected{h_samples.data(), h_coefficients.data()};
    std::vector<Curve> h_curves(h_samples.size());
    return milliseconds([&] {
      for (std::size_t i = 0; i < h_curves.size(); ++i) h_curves[i] = expected.curve(i);
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
