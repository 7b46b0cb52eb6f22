// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "count/counters.h"
#include "protocol/wire_counters.h"
#include "time/watcher.h"

namespace serve {

// What the judge gets, within the limits of a message.
std::vector<wire::KernelCounters> to_wire(const std::vector<count::KernelCounters>& kernels);

std::vector<wire::Shape> to_wire(const std::vector<timing::Shape>& shapes);

}  // namespace serve
