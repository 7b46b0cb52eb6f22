// SPDX-License-Identifier: MIT
// Names the mistake that a wrong result looks like. A name is a guess: it is shown only when the
// wrong value is exactly what the mistake would give.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lab_judge {

// For results that combine many items into one.
struct WrongReduction {
  std::size_t num_items = 0;
  double got = 0;
  double expected = 0;
  double past_the_end = 0;  // the value behind the input, and in an output that nothing has set
  bool reads_past_the_end = true;  // or may do so, where no checker watches
  // The exact result over items [begin, end); over an empty range, the identity.
  std::function<double(std::size_t begin, std::size_t end)> over;
  // The exact result of two results. None: mistakes that leave gaps are not looked for.
  std::function<double(double, double)> combine = {};
};

// Clauses that complete "It looks as if ...": one for each mistake that would give this value, the
// most specific first. At some sizes several do.
std::vector<std::string> explain(const WrongReduction& wrong);

}  // namespace lab_judge
