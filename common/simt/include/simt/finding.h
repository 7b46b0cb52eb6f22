// SPDX-License-Identifier: MIT
// Findings: the mistakes that the emulator found in a kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simt {

enum class FindingKind : std::uint8_t {
#define SIMT_FINDING_KIND(constant, name) constant,
#include "simt/finding_kinds.inc"
};

// "uninitialized_read", as the result format spells it.
const char* finding_kind_name(FindingKind kind);

struct Finding {
  FindingKind kind = {};
  std::string file;     // without folders; empty if unknown
  int line = 0;         // 0 if unknown
  std::string kernel;   // as written at the launch
  std::string message;  // one sentence or two, for the student
};

inline constexpr int kMaxFindings = 100;  // later ones are dropped until take_findings()

// Keeps the first finding of each kind at each line.
void report(Finding finding);

// Called with each finding that is kept, at once; null: none. For a program that may end at any
// time.
using FindingListener = void (*)(const Finding& finding);
void set_finding_listener(FindingListener listener);

// What was reported since the last take_findings(), in order.
std::span<const Finding> findings();

// Returns it, and forgets it.
std::vector<Finding> take_findings();

}  // namespace simt
