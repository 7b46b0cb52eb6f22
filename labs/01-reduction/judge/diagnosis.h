// SPDX-License-Identifier: MIT
// Names the mistake that a wrong result looks like. A name is a guess: it is shown only when the
// wrong value is exactly what the mistake would give.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

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
};

// A clause that completes "It looks as if ...", or nothing.
std::string explain(const WrongReduction& wrong);

}  // namespace lab_judge
