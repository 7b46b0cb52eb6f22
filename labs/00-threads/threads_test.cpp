// SPDX-License-Identifier: MIT
// The judge of 00-threads: which tests judge which rung, and what they share. The tests are in the
// files beside it.
#include "threads_test.h"

#include "judge.h"

namespace threads_test {

void tell_case(judge::Failure& failure, const std::string& before, const std::string& after) {
  if (failure.kind == "todo" || failure.kind == "compile_error") return;
  failure.message = before + failure.message + after;
}

std::string count_of(int count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace threads_test

int main(int argc, char** argv) {
  using threads_test::matrix_add_workload;
  using threads_test::scale_workload;
  return judge::run(argc, argv,
                    {.default_suite = "",
                     .suites = {{"01_matrix_add", "MatrixAdd", {.make = matrix_add_workload}},
                                {"02_grid_stride", "GridStride", {.make = scale_workload}},
                                {"03_thread_ids", "ThreadNumbers"},
                                {"04_checked_launch", "CheckedLaunch"},
                                {"05_host_flow", "HostFlow"}}});
}
