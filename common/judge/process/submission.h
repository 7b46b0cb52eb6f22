// SPDX-License-Identifier: MIT
// The judge's view of a submission: calls a function by name and reports the outcome. Starts the
// worker when needed, and a fresh one after each fault.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "process/process.h"
#include "protocol/arena.h"
#include "protocol/finding_kinds.h"
#include "protocol/wire.h"

namespace judge {

// One cause of a failure, with a text for the student.
struct Failure {
  std::string kind;  // one of judge::kind
  std::string message;
  std::string pattern = {};  // the mistake that the wrong values look like, if one fits
};

struct Outcome {
  std::optional<Failure> failure;  // nothing: the batch ran to its end
  bool fatal = false;              // further calls are useless: it timed out, or is not written yet
  std::vector<wire::Finding> findings;
  std::vector<wire::KernelCounters> kernels;
  double wall_ms = 0;
  double events_ms = 0;
};

// Why the batch failed, if it did: a checker that saw the fault knows more than the error code that
// followed from it.
std::optional<Failure> cause_of(const Outcome& outcome);

// Another process, or a system short of memory, ended the worker with SIGKILL. The worker cannot
// send that signal and had not used up the memory itself, so no verdict follows.
class WorkerKilled : public std::runtime_error {
 public:
  WorkerKilled() : std::runtime_error("the worker was killed from outside (SIGKILL)") {}
};

class Submission {
 public:
  // `command`: the worker and its arguments. `arena` must outlive this object.
  Submission(std::vector<std::string> command, Arena& arena, Limits limits = {});

  // Runs the calls over the arena's present regions. Throws WorkerKilled, and std::runtime_error
  // when the worker cannot be started: both are the machine's fault. Once the worker has greeted
  // (see wire.h), every outcome is a verdict.
  Outcome run(wire::Batch batch);

  // What the student's code has printed since the last call of this function, raw.
  std::string take_output();

 private:
  Exchange exchange(wire::Kind kind, const std::string& payload, Wait wait);
  void stop();

  std::vector<std::string> command_;
  Arena& arena_;
  Limits limits_;
  double spent_seconds_ = 0;  // on all calls so far
  std::unique_ptr<WorkerProcess> process_;
  std::string output_;
};

}  // namespace judge
