// SPDX-License-Identifier: MIT
// Names the mistakes that a wrong result looks like. A name is a guess: it is shown only when the
// result is exactly what the mistake would give.
#pragma once

#include <string>
#include <vector>

#include "data.h"
#include "reference.h"

namespace lab_judge {

// One call, and its result.
struct Made {
  Function function;
  Shape shape;
  const Weights& weights;
  const std::vector<float>& h_in;
  const std::vector<float>& h_out;
};

// Clauses that complete "It looks as if ...": one for each mistake that gives this wrong result,
// the most specific first.
std::vector<std::string> explain(const Made& made);

}  // namespace lab_judge
