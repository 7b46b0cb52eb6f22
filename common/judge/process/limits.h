// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace judge {

struct Limits {
  double call_cpu_seconds = 10;
  double call_wall_seconds = 60;
  // Wall-clock time over all calls of a submission. It ends well before the grader's time limit for
  // the judge, so that a slow rung gets a verdict.
  double all_calls_seconds = 450;
  std::size_t memory_bytes = std::size_t{3} << 30;  // without the judge's buffers
  // Far more than any rung needs. When a system runs out of memory, it kills a process; one that
  // holds this much has used up the memory itself.
  std::size_t greedy_bytes = std::size_t{1} << 30;
  std::size_t output_bytes = std::size_t{1} << 20;
  double farewell_seconds = 0;  // to end by itself after the last request; then it is killed
  bool sandboxed = false;       // the commands are sandboxes: see Child::describe_death
  // File to which what a checker around the worker prints is added; empty: there is none.
  std::string checker_log = {};
  bool names_slow_kernels = false;  // a kernel ends before call_cpu_seconds, with a finding
  std::string memory_group = {};    // in which each worker gets its MemoryGroup; empty: none
  bool counts_pinned = false;       // host memory that NVIDIA's driver maps counts as the worker's
};

}  // namespace judge
