// SPDX-License-Identifier: MIT
#include "simt/finding.h"

#include <algorithm>
#include <array>
#include <utility>

#include "report/debugger.h"

namespace simt {
namespace {

constexpr std::array kKindNames = {
#define SIMT_FINDING_KIND(constant, name) name,
#include "simt/finding_kinds.inc"
};

std::vector<Finding>& kept_findings() {
  static auto* const kept = new std::vector<Finding>;  // outlives all users
  return *kept;
}

FindingListener g_listener = nullptr;

}  // namespace

const char* finding_kind_name(FindingKind kind) { return kKindNames[std::size_t(kind)]; }

void report(Finding finding) {
  const bool known =
      std::any_of(kept_findings().begin(), kept_findings().end(), [&](const Finding& other) {
        return other.kind == finding.kind && other.file == finding.file &&
               other.line == finding.line;
      });
  if (known || kept_findings().size() >= kMaxFindings) return device::forget_parties();
  if (g_listener != nullptr) g_listener(finding);
  device::tell_debugger(finding.kind, finding.message);
  kept_findings().push_back(std::move(finding));
}

void set_finding_listener(FindingListener listener) { g_listener = listener; }

const std::vector<Finding>& findings() { return kept_findings(); }

std::vector<Finding> take_findings() { return std::exchange(kept_findings(), {}); }

}  // namespace simt
