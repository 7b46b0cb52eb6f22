// SPDX-License-Identifier: MIT
#include "report/finding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace report {
namespace {

constexpr std::array kNames = {
    "out_of_bounds", "misaligned",   "uninitialized_read", "race", "barrier_divergence",
    "deadlock",      "host_pointer", "launch_error",       "leak", "crash",
    "out_of_memory", "timeout",      "host_wait"};

constexpr std::size_t kMaxFindings = 100;  // later ones are dropped until take_findings()

std::vector<Finding>& kept() {
  static auto* const findings = new std::vector<Finding>;  // outlives all users
  return *findings;
}

std::vector<Finding>& kept_notes() {
  static auto* const notes = new std::vector<Finding>;
  return *notes;
}

bool is_at_line_of(const Finding& one, const Finding& other) {
  return one.file == other.file && one.line == other.line;
}

std::function<void(const Finding&)>& listener() {
  static auto* const set = new std::function<void(const Finding&)>;
  return *set;
}

}  // namespace

const char* name_of(Kind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

void report(Finding finding) {
  const bool is_known = std::ranges::any_of(kept(), [&](const Finding& other) {
    return other.kind == finding.kind && other.error == finding.error &&
           is_at_line_of(other, finding);
  });
  if (is_known || kept().size() >= kMaxFindings) return;
  kept().push_back(std::move(finding));
  if (listener()) listener()(Finding(kept().back()));
}

void note(Finding finding) {
  const bool is_known = std::ranges::any_of(
      kept_notes(), [&](const Finding& other) { return is_at_line_of(other, finding); });
  if (!is_known && kept_notes().size() < kMaxFindings) kept_notes().push_back(std::move(finding));
}

std::vector<Finding> take_notes() { return std::exchange(kept_notes(), {}); }

void set_listener(std::function<void(const Finding&)> wanted) { listener() = std::move(wanted); }

const std::vector<Finding>& findings() { return kept(); }

std::vector<Finding> take_findings() { return std::exchange(kept(), {}); }

}  // namespace report
