// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "simt/call_stack.h"
#include "simt/finding.h"

namespace simt::device {

// Reports a finding at the line that holds the call that returns to `pc`.
void report_at(FindingKind kind, const void* pc, const char* kernel, std::string message);

// The place in the host's code that makes a call that returns to `pc`; that of its caller if it is
// the library's.
SourcePlace place_in_host_code(const void* pc);

}  // namespace simt::device
