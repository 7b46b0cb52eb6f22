// SPDX-License-Identifier: MIT
// Rungs 05 and 06: more bins than the shared memory of a block holds.
#include "fixture.h"

namespace lab_judge {
namespace {

class ManyBins : public HistogramFixture {};

TEST_F(ManyBins, CountsIntoEveryRange) {
  // Around what 48, 64, 100 and 227 KiB hold, and the most.
  for (const int num_bins : {12289, 16384, 25601, 58112, 58113, 100000, lab::kMaxManyBins}) {
    expect_for_sizes({5000, 100000 + static_cast<int>(next_seed() % 1000)},
                     [&](int num_samples) { return attempt(num_samples, num_bins, kUniform); });
    if (HasFailure()) return;
  }
}

TEST_F(ManyBins, WorkForEverySpread) {
  for (const Spread& spread : kSpreads) {
    expect_for_sizes({1000, 20000 + static_cast<int>(next_seed() % 1000)},
                     [&](int num_samples) { return attempt(num_samples, 70001, spread); });
    if (HasFailure()) return;
  }
}

TEST_F(ManyBins, WorkOnEveryCall) {
  const auto failure = attempt_in_a_row({{9000, 70000}, {40, 3}, {0, 65537}, {9000, 130000}});
  if (failure) fail(*failure);
}

}  // namespace
}  // namespace lab_judge
