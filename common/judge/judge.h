// SPDX-License-Identifier: MIT
// The main() of every lab's judge.
#pragma once

#include <string>
#include <vector>

#include "options.h"
#include "speed.h"

namespace judge {

// Which GoogleTest suite judges a rung.
struct RungSuite {
  std::string rung;
  std::string suite;
};

// One lab's judge. Rungs that `suites` does not list belong to `default_suite`.
struct LabJudge {
  std::string default_suite;
  std::vector<RungSuite> suites = {};
  // What --bench measures for the rungs of the default suite; empty: the lab has no benchmark.
  std::function<SpeedPlan(std::size_t num_items)> bench = {};
};

// Judges the rung that the command line names, or measures it (--bench=SIZE,...: one JSON object a
// line). Returns the exit status: 0 all passed, 1 some failed, 3 own fault.
int run(int argc, char** argv, const LabJudge& lab);

}  // namespace judge
