// SPDX-License-Identifier: MIT
// Names the mistakes that a wrong result looks like. A name is a guess: it is shown only when the
// result is exactly what the mistake would give.
#pragma once

#include <string>
#include <vector>

#include "data.h"

namespace lab_judge {

// Clauses that complete "It looks as if ...": one for each mistake that makes `got` of the problem,
// the most specific first.
std::vector<std::string> explain(const Problem& problem, const Items& got);

}  // namespace lab_judge
