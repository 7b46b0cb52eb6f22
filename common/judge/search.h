// SPDX-License-Identifier: MIT
// What `lint` expects a wrong submission to be caught by. Once a run has shown it, the tests that
// follow prove nothing more and are skipped.
#pragma once

#include <string>
#include <vector>

#include "submission.h"

namespace judge {

struct Sought {
  std::vector<std::string> kinds;  // any of these; empty: nothing is sought
  int line = 0;                    // that a finding of such a kind names; 0: any
  std::string message;             // part of its message, or of a failed test's
};

class Search {
 public:
  explicit Search(Sought sought);

  // What a test reports: the judge's own cause of a failure, or a checker's finding.
  void see(const Failure& failure);
  void see(const wire::Finding& finding);

  // True once everything that is sought has been seen.
  bool is_over() const { return has_kind_ && has_line_ && has_message_; }

 private:
  bool is_sought(const std::string& kind) const;

  Sought sought_;
  bool has_kind_ = false;
  bool has_line_;
  bool has_message_;
};

}  // namespace judge
