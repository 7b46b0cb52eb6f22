// SPDX-License-Identifier: MIT
// Measures how much memory a worker gets that takes all it can at once. An argument names a control
// group in which it is limited; without one, the judge counts its pages. Prints JSON.
#include <sys/resource.h>

#include <cstdio>

#include "process/submission.h"
#include "protocol/call_encoding.h"
#include "tests/programs.h"

int main(int argc, char** argv) {
  judge::Limits limits;
  limits.call_cpu_seconds = 60;  // an emulated processor gets 3 GiB in no less than 10 s
  if (argc > 1) limits.memory_group = argv[1];
  judge::Arena arena(1 << 20);
  judge::Submission submission(judge::misbehaving(), arena, limits);
  wire::Batch batch;
  batch.calls = {judge::encode_call<void()>("take_at_once")};
  const judge::Outcome outcome = submission.run(batch);
  if (!outcome.failure) return 1;
  rusage worker{};
  getrusage(RUSAGE_CHILDREN, &worker);
  std::printf("{\"limit_mib\": %zu, \"peak_mib\": %ld, \"verdict\": \"%s\"}\n",
              limits.memory_bytes >> 20, worker.ru_maxrss >> 10, outcome.failure->kind.c_str());
}
