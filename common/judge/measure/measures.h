// SPDX-License-Identifier: MIT
// Measures: the figures of a whole call that budgets are set on, from the kernels' counters.
// docs/counters.md defines each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/wire_counters.h"

namespace judge {

// The source line that contributes most to a measure, and what the measure is there: the line's own
// total, or its own ratio.
struct Place {
  std::string file;
  int line = 0;
  double value = 0;
};

struct Measure {
  std::string name;
  double value = 0;
  std::optional<Place> place;  // nothing where no line can be blamed
  // Of sums: the lines that come next, each with a tenth of the sum or more.
  std::vector<Place> next_places = {};
  // Of bytes moved: the line that moves the most bytes which it does not use, and how many.
  std::optional<Place> unused = {};
};

// num_items: what "per item" means, at least 1.
std::vector<Measure> measures(const std::vector<wire::KernelCounters>& kernels, double num_items);

}  // namespace judge
