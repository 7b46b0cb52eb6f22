// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "simt/call_stack.h"
#include "simt/finding.h"
#include "simt/launch.h"

namespace simt::device {

// The line that holds a kernel's call that returns to `pc`; that of the launch if it is a library's
// code.
SourcePlace place_in_kernel(const void* pc, const LaunchSite& site);

// Reports a finding there.
void report_at(FindingKind kind, const void* pc, const LaunchSite& site, std::string message);

// The place in the host's code that makes a call that returns to `pc`; that of its caller if it is
// the library's.
SourcePlace place_in_host_code(const void* pc);

}  // namespace simt::device
