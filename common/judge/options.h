// SPDX-License-Identifier: MIT
// The command line of a lab's judge: what it judges and whom it compares with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "process.h"
#include "search.h"

namespace judge {

struct Options {
  std::string rung;                  // "02_interleaved"
  std::string worker;                // the submission's worker
  std::string anchors;               // worker that reaches the device's limits; empty: none
  std::string first;                 // worker of the lab's first rung; empty: none
  std::string reference;             // worker of this rung's reference solution; empty: none
  std::vector<std::string> sandbox;  // command that confines the submission's worker; empty: none
  std::vector<std::string> wrapper;  // checker that runs the worker, inside the sandbox
  std::uint64_t seed = 0;            // of all inputs; drawn from the system unless given
  std::string images;  // folder for the pictures that tests make; empty: none are wanted
  // The worker runs under a checker, many times slower: large data and measurements are left out.
  bool quick = false;
  Sought sought;  // ends the run early
  // Not empty: judge nothing, but at these sizes ...
  std::vector<std::size_t> bench_sizes;  // ... measure speed, on cuda
  std::vector<std::size_t>
      profile_sizes;  // ... count what kernels do, on cpu; 0: the budgets' size
};

// Parses what GoogleTest left of the command line. Throws std::invalid_argument on anything
// unknown.
Options parse_options(int argc, char** argv);

// argv of the submission's worker: the sandbox and the wrapper, if any, and the program.
std::vector<std::string> submission_command(const Options& options);

// What the submission's worker may use, and how its end is to be understood.
Limits limits(const Options& options);

// The running judge's options.
const Options& options();

// True where tests of speed make sense.
#ifdef LOCKSTEP_CUDA
inline constexpr bool kOnGpu = true;
#else
inline constexpr bool kOnGpu = false;
#endif

}  // namespace judge
