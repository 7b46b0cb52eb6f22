// SPDX-License-Identifier: MIT
// Speed as a share of this device's own limit. Every contender (the submission, the device's limit,
// the library, the lab's first rung, the reference solution) runs in a worker of its own, over the
// same fresh data, in interleaved rounds. The result is the median of the per-round ratios, in
// which machine noise cancels. The judge keeps the clock.
#pragma once

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "fixture/test_data.h"
#include "measure/contender.h"
#include "measure/ratio.h"
#include "measure/workload.h"

namespace judge {

// The commands that start the contenders' workers; empty: there is none.
struct SpeedWorkers {
  Commands submission;
  Limits limits;                   // of the submission
  Commands anchors;                // the device's limit, and the library
  Commands first;                  // the lab's first rung
  std::optional<double> first_ms;  // what a call of it takes, if that is known
  Commands reference;              // the rung's solution
};

// How much is measured.
struct SpeedPlan {
  int rounds = 12;
  int least_rounds = 5;          // suffice once every ratio's interval is narrow:
  double narrow_spread = 0.015;  // a gate is 0.08 to 0.12 below our own solution
  int quiet_rounds = 5;          // before the submission starts, in each attempt
  int attempts = 3;
  double batch_ms = 15;  // slow code is timed over fewer calls: long batches are precise
  int slow_rounds = 3;   // ... and in fewer rounds, when one call alone takes longer
  // A submission that is slower than its reference gets batches this long. Then a round trip, some
  // 0.15 ms, no longer matters.
  double long_batch_ms = 400;
  double enough_ms = 10'000;  // of its batches; then slow_rounds suffice
  Retime retime = {};         // a test's own time; empty: the clocks'
};

// The judge's clock minus the worker's own, in milliseconds of a batch: of the submission, and what
// it may be. It is not negative, because the worker's interval lies within the judge's. What lies
// outside of it is the round trip of request and reply. All workers speak the same protocol on the
// same machine, so that of an honest one is at most twice the longest that the others had without
// the submission.
struct Clocks {
  double gap_ms = 0;
  double least_ms = 0;
  double most_ms = 0;
  bool agree() const { return gap_ms >= least_ms && gap_ms <= most_ms; }
};

struct SpeedResult {
  std::optional<Failure> failure;  // wrong outputs in a timed run, or clocks that disagree
  // The machine's noise: how far the quartiles of the reference's speed over the limit's are apart,
  // relative to the median, in rounds without the submission.
  double noise = 0;
  bool noisy = false;   // it stayed too large after reruns
  bool steady = false;  // the machine is quiet, and the submission's rounds agree
  int rounds = 0;
  std::size_t calls_per_batch = 0;
  std::size_t checked_calls = 0;  // the submission's timed calls: each result was checked
  double time_ms = 0;             // the submission, one call
  Clocks clocks;
  double limit_gbps = 0;  // what the limit's call reaches
  Ratio share;            // the submission's speed over the limit's
  std::optional<Ratio> of_library;
  std::optional<Ratio> of_reference;
  std::optional<Ratio> speedup;       // over the lab's first rung
  std::optional<double> first_ms;     // what a call of that takes
  std::optional<double> speedup_cpu;  // over a sequential run on the host, if the caller timed one
};

// Milliseconds of a sequential run on the host over `num_items`: measured with fewer, because the
// host is slow, and scaled by the work. It runs on a core of its own, while workers start.
std::future<double> sequential_ms(const WorkloadPlan& plan, std::size_t num_items,
                                  SeedSequence& seeds);

SpeedResult measure_speed(const Workload& workload, const SpeedWorkers& workers,
                          SeedSequence& seeds, const SpeedPlan& plan = {});

}  // namespace judge
