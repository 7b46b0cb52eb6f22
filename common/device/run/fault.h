// SPDX-License-Identifier: MIT
// What ends a kernel before its end.
#pragma once

#include <string>

#include "report/finding.h"

namespace run {

// Thrown by handlers and by monitors. The finding is reported once, by the launch.
struct Fault {
  report::Finding finding;
  int error = 700;  // cudaErrorIllegalAddress and similar: sticky from here on
};

}  // namespace run
