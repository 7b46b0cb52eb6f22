// SPDX-License-Identifier: MIT
// The judge's view of a submission: calls a function by name and reports the outcome. Starts the
// worker when needed, and a fresh one after each fault.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
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
  // Further mistakes that would give the same values. Another size decides, see expect_for_sizes().
  std::vector<std::string> other_patterns = {};
  // Its place in the source; line 0: not known.
  std::string file = {};
  std::int32_t line = 0;

  // The most specific mistake comes first.
  void add_pattern(std::string clause) {
    (pattern.empty() ? pattern : other_patterns.emplace_back()) = std::move(clause);
  }
};

struct Outcome {
  std::optional<Failure> failure;  // nothing: the batch ran to its end
  bool fatal = false;              // further calls are useless: it timed out, or is not written yet
  std::vector<wire::Finding> findings;
  std::vector<wire::Finding> notes;
  std::vector<wire::KernelCounters> kernels;
  std::vector<wire::Shape> shapes;
  double wall_ms = 0;
  double events_ms = 0;
  std::uint32_t num_allocations = 0;  // cpu: that the batch asked for
  std::string timeline;               // cpu: of the engines, with a posed clock
  std::string printed;                // cpu: by kernels
  std::string recording;              // if Submission::record() asked for it
  std::vector<std::string> launches;  // with it
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

// The recording of a launch, for a picture of it.
struct Recorded {
  std::string text;                   // empty: none
  std::vector<std::string> launches;  // the kernels that were launched
  std::optional<Failure> failure;
  std::vector<wire::Finding> findings;
};

class Submission {
 public:
  // `arena` must outlive this object.
  Submission(Commands commands, Arena& arena, Limits limits = {});

  // Runs the calls over the arena's present regions. Throws WorkerKilled, and std::runtime_error
  // when the worker cannot be started: both are the machine's fault. Once the worker has greeted
  // (see wire.h), every outcome is a verdict.
  Outcome run(wire::Batch batch);

  // What run() does first if it is not done: make a process, and wait until it has its device. So
  // several workers can start at a time. A process ends with the thread that made it (see
  // become_child), any thread may wait. Throws as run() does.
  void launch();
  void wait_until_ready();

  // Ends the worker, if there is one; the next batch starts another.
  void end();
  bool is_running() const { return process_ != nullptr; }

  // Between these the worker gets no time on the processor, whatever threads it has left.
  void pause();
  void resume();

  // What each batch from now on records: a launch of `kernel` (empty: of any).
  //   wire::kFirst             in the order of `schedule_seed`; the longest recording is kept
  //   wire::kFirstWithFinding  in the batch's own order; those of batches that fail or find
  //                            something new are kept as faults(), without any the last one
  void record(std::uint32_t which, std::string kernel, std::uint64_t schedule_seed = 0);
  // Whether the batches that follow do so.
  void set_recording(bool is_on) { is_recording_ = is_on; }
  const Recorded& recorded() const { return recorded_; }
  const std::vector<Recorded>& faults() const { return faults_; }

  // What the student's code has printed since the last call of this function, raw.
  std::string take_output();

 private:
  // Makes an exchange. Throws if its end is not the submission's fault.
  Exchange account_for(const std::function<Exchange()>& make);
  std::optional<Outcome> greet();  // how the worker ended instead
  Outcome run_batch(const wire::Batch& batch);
  void keep_recording(Outcome& outcome);
  bool is_new_fault(const Outcome& outcome) const;
  Outcome end_of(Exchange exchange) const;
  bool has_wasted(double cpu_seconds);  // too much, together with earlier calls that failed

  Commands commands_;
  Arena& arena_;
  Limits limits_;
  double spent_seconds_ = 0;   // on all calls so far
  double wasted_seconds_ = 0;  // of processor time, on those that failed
  std::unique_ptr<WorkerProcess> process_;
  bool is_ready_ = false;  // the process has replied to the greeting
  std::string output_;

  std::uint32_t records_ = 0;  // Batch::record
  bool is_recording_ = true;
  std::vector<Recorded> faults_;
  std::string recorded_kernel_;
  std::uint64_t recorded_order_ = 0;
  Recorded recorded_;
};

}  // namespace judge
