// SPDX-License-Identifier: MIT
// The main() of every lab's judge.
#pragma once

#include <string>
#include <vector>

#include "fixture/options.h"
#include "measure/workload.h"

namespace judge {

// How one rung is judged: its GoogleTest suite, or a filter that ends with one; what is measured;
// and a filter of tests that do not judge it.
struct RungSuite {
  std::string rung;
  std::string suite;
  WorkloadPlan workload = {};
  std::string without = {};
};

// One lab's judge. Rungs that `suites` does not list belong to `default_suite` and are measured by
// `workload`. A rung with a workload gets, besides its suite's tests, Measured.ReachesItsSpeed
// on cuda and Measured.KeepsItsBudget on cpu.
struct LabJudge {
  std::string default_suite;
  WorkloadPlan workload = {};
  std::vector<RungSuite> suites = {};
};

// Judges the rung that the command line names, or measures it (--bench=SIZE,... on cuda,
// --profile=SIZE,... on cpu: one JSON object per line). Returns the exit status: 0 all passed, 1
// some failed, 3 the judge failed, 4 another process killed the worker: no verdict. With --serve
// alone it does so for each command line that arrives at its standard input (see judge.cpp).
int run(int argc, char** argv, const LabJudge& lab);

}  // namespace judge
