// SPDX-License-Identifier: MIT
// The fixture of this lab's tests: calls histogram and compares its counts.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data.h"
#include "diagnosis.h"
#include "fixture/fixture.h"
#include "histogram.cuh"
#include "reference.h"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;

constexpr std::size_t scratch_bytes(std::size_t num_samples) {  // exactly the contract's
  return sizeof(float) * num_samples + (std::size_t{64} << 10);
}

class HistogramFixture : public judge::Fixture {
 protected:
  // Makes samples, counts them and returns what is wrong with the counts.
  std::optional<Failure> attempt(int num_samples, int num_bins, const Spread& spread) {
    begin_case();
    set_scratch_bytes(scratch_bytes(num_samples));
    const Case one = make_case(num_samples, num_bins, spread, "");
    if (auto failure = run({one.call})) return failure;
    return check(one);
  }

  std::optional<Failure> attempt_in_a_row(const std::vector<std::pair<int, int>>& sizes) {
    begin_case();
    set_scratch_bytes(scratch_bytes(std::ranges::max(sizes).first));
    std::vector<Case> cases;
    std::vector<wire::Call> calls;
    for (const auto& [num_samples, num_bins] : sizes) {
      const std::string suffix = "_" + std::to_string(cases.size() + 1);
      cases.push_back(make_case(num_samples, num_bins, kUniform, suffix));
      calls.push_back(cases.back().call);
    }
    return run_in_a_row(calls, [&](std::size_t i) { return check(cases[i]); });
  }

  // A wrong result, with the mistakes that give these counts.
  static Failure wrong(std::string message, const Counted& counted) {
    Failure failure{judge::kind::kWrongResult, std::move(message)};
    for (const std::string& clause : explain(counted)) failure.add_pattern(clause);
    return failure;
  }

 private:
  // One call and the data to check it.
  struct Case {
    lab::EvenBins bins;
    std::vector<float> h_samples = {};
    Buffer<unsigned int> d_counts = {};
    std::string what = {};
    wire::Call call = {};
  };

  Case make_case(int num_samples, int num_bins, const Spread& spread, const std::string& suffix) {
    Case made{.bins = random_bins(next_seed(), num_bins)};
    made.h_samples = make_samples(next_seed(), num_samples, made.bins, spread);
    made.d_counts = output<unsigned int>("d_counts" + suffix, num_bins);
    made.what = judge::counted(num_samples, "sample") + ", " + spread.name + ", into " +
                judge::counted(num_bins, "bin");
    made.call = judge::encode_call<decltype(lab::histogram)>(
        "histogram", input("d_samples" + suffix, made.h_samples), num_samples, made.bins.num_bins,
        double{made.bins.lower}, double{made.bins.upper}, made.d_counts);
    return made;
  }

  static std::optional<Failure> check(const Case& made) {
    const Counts expected = count_of(made.h_samples, made.bins);
    const Counts got = made.d_counts.download();
    const auto first = std::ranges::mismatch(got, expected);
    if (first.in1 == got.end()) return std::nullopt;
    const std::string name = "d_counts[" + std::to_string(first.in1 - got.begin()) + "]";
    if (judge::is_poison(*first.in1)) {
      return Failure{judge::kind::kOutputUnwritten, made.what + ": " + name + " was never written"};
    }
    return wrong(made.what + ": expected " + name + " = " + std::to_string(*first.in2) + ", got " +
                     std::to_string(*first.in1),
                 {made.h_samples, made.bins, got});
  }
};

}  // namespace lab_judge
