// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "protocol/wire_counters.h"

namespace worker {

// What the emulator has counted since the last call, in the wire's form.
std::vector<wire::KernelCounters> take_counters();

}  // namespace worker
