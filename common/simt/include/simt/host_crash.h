// SPDX-License-Identifier: MIT
// Crashes of the program's host code: a bad address, a stack used up, a division by zero.
#pragma once

#include <string>

#include "simt/finding.h"

namespace simt {

// From now on such a crash is reported as a finding, with its line. Then `last_words`, unless null,
// gets the finding's message, and the process ends by the signal as it would have.
void explain_host_crashes(void (*last_words)(const std::string& what));

// Reports a mistake after which the host's code must not go on, then the same, with SIGABRT.
[[noreturn]] void end_host_code(const Finding& finding);

}  // namespace simt
