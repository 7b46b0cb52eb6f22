// SPDX-License-Identifier: MIT
// Which tests judge which rung of 00-threads, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  return judge::run(
      argc, argv,
      {.default_suite = "",
       .suites = {{"00_hello", "Hello"},
                  {"01_matrix_add", "MatrixAdd", {.make = lab_judge::matrix_add_workload}},
                  {"02_grid_stride", "GridStride", {.make = lab_judge::scale_workload}},
                  {"03_thread_ids", "ThreadNumbers"},
                  {"04_checked_launch", "CheckedLaunch"},
                  {"05_host_flow", "HostFlow"},
                  {"05b_no_leak", "NoLeak"},
                  {"06_device_query", "DeviceQuery"},
                  {"07_timed_launch", "TimedLaunch"}}});
}
