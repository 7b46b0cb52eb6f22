// SPDX-License-Identifier: MIT
// Crashes of the program's host code: a bad address, a stack used up, a division by zero.
#pragma once

#include <string>

namespace simt {

// From now on such a crash is reported as a finding, with its line. Then `last_words`, unless null,
// gets the finding's message, and the process ends by the signal as it would have.
void explain_host_crashes(void (*last_words)(const std::string& what));

}  // namespace simt
