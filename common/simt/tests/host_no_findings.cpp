// SPDX-License-Identifier: MIT
// Linked to each sample program: at its end, any finding of a checker turns success into failure.
// SIMT_SEED=N in the environment runs it under another schedule.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "simt/finding.h"
#include "simt/schedule.h"

namespace {

struct FailOnFindings {
  FailOnFindings() {
    if (const char* seed = std::getenv("SIMT_SEED")) {
      simt::set_schedule(std::strtoull(seed, nullptr, 10));
    }
  }
  ~FailOnFindings() {
    const auto findings = simt::take_findings();
    for (const auto& finding : findings) {
      std::fprintf(stderr, "%s:%d: %s: %s\n", finding.file.c_str(), finding.line,
                   simt::finding_kind_name(finding.kind), finding.message.c_str());
    }
    std::fflush(nullptr);
    if (!findings.empty()) _exit(1);
  }
} fail_on_findings;

}  // namespace
