// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "count/request.h"
#include "simt/counters.h"

namespace simt::device {

// The request in readable form: the name of the memory, and the offsets in it. Call while the
// request's block runs.
AccessPattern access_pattern(const Request& request, int cost);

// Keeps the costlier of two patterns of one line's space and access.
void add_pattern(std::vector<AccessPattern>& patterns, const AccessPattern& pattern);

}  // namespace simt::device
