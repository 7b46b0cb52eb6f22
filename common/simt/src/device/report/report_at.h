// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "simt/finding.h"

namespace simt::device {

// Reports a finding at the line that holds the call that returns to `pc`.
void report_at(FindingKind kind, const void* pc, const char* kernel, std::string message);

}  // namespace simt::device
