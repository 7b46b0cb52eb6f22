// SPDX-License-Identifier: MIT
#include "simt/finding.h"

#include <algorithm>
#include <utility>

namespace simt {
namespace {

std::vector<Finding> g_findings;

}  // namespace

void report(Finding finding) {
  const bool known = std::any_of(g_findings.begin(), g_findings.end(), [&](const Finding& other) {
    return other.kind == finding.kind && other.file == finding.file && other.line == finding.line;
  });
  if (!known && g_findings.size() < kMaxFindings) g_findings.push_back(std::move(finding));
}

std::vector<Finding> take_findings() { return std::exchange(g_findings, {}); }

}  // namespace simt
