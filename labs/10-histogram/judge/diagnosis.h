// SPDX-License-Identifier: MIT
// Names the mistakes that wrong counts look like. A name is a guess: it is shown only when the
// counts are exactly what the mistake would give.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference.h"

namespace lab_judge {

// One call's samples, and what it counted.
struct Counted {
  std::span<const float> h_samples;
  const lab::EvenBins& bins;
  const Counts& h_counts;
};

// Clauses that complete "It looks as if ...": one for each mistake that gives these wrong counts,
// the most specific first.
std::vector<std::string> explain(const Counted& counted);

}  // namespace lab_judge
