// SPDX-License-Identifier: MIT
// Names the mistake that a wrong product looks like. A name is a guess: it is given only if every
// examined element, right or wrong, is what the mistake would give.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "reference.h"

namespace lab_judge {

// A product that was computed wrongly.
struct Result {
  const Factors& factors;
  const Expected& expected;
  const std::vector<float>& h_c;        // (num_rows, num_cols)
  std::vector<std::size_t> wrong = {};  // indices into h_c, ascending
  std::vector<std::size_t> right = {};  // the others

  double allowed(std::size_t element) const {
    return expected.allowed.empty() ? 0 : expected.allowed[element];
  }
  // Whether the element may pass for `value`.
  bool fits(std::size_t element, double value) const {
    const double got = h_c[element];
    if (std::isnan(value)) return std::isnan(got);
    return got == value || std::abs(got - value) <= allowed(element);
  }
};

// Clauses that complete "It looks as if ...", or nothing. No clause contains a number that depends
// on the size: the same mistake must read the same at every size.
std::string explain_unwritten(const Result& result);  // the first wrong element is still poison
std::string explain_wrong(const Result& result);

}  // namespace lab_judge
