// SPDX-License-Identifier: MIT
// Those who watch the launches: checks, counters, a recorder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/checker.h"
#include "count/watcher.h"
#include "memory/book.h"
#include "record/recorder.h"
#include "run/monitor.h"
#include "time/watcher.h"

namespace serve {

class Watchers {
 public:
  check::Checker& checker() { return checker_; }
  const check::Checker& checker() const { return checker_; }
  count::Watcher& counter() { return counter_; }
  timing::Watcher& timer() { return timer_; }
  record::Recorder& recorder() { return recorder_; }

  void set_checks(check::Checks checks) { checker_.set_checks(checks); }
  void set_counting(bool on) { counter_.set_counting(on); }
  bool is_counting() const { return counter_.is_counting(); }

  // One more, behind the others.
  void add(run::Monitor& monitor) { others_.push_back(&monitor); }

  // In their order, for the launches to come.
  std::vector<run::Monitor*> monitors() {
    std::vector<run::Monitor*> all;
    if (recorder_.is_waiting_or_recording()) all.push_back(&recorder_);
    all.push_back(&checker_);
    if (counter_.is_counting()) all.push_back(&counter_);
    if (timer_.is_watching()) all.push_back(&timer_);
    all.insert(all.end(), others_.begin(), others_.end());
    return all;
  }

 private:
  record::Recorder recorder_;
  check::Checker checker_;
  count::Watcher counter_;
  timing::Watcher timer_;
  std::vector<run::Monitor*> others_;
};

}  // namespace serve
