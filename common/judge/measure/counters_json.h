// SPDX-License-Identifier: MIT
// Counters as JSON, for test properties and for `lab profile`. docs/counters.md shows the form.
#pragma once

#include <string>
#include <vector>

#include "protocol/wire_counters.h"

namespace judge {

// {"kernel": {"launches": 3, ...}, ...}
std::string counters_by_kernel(const std::vector<wire::KernelCounters>& kernels);

// [{"name": ..., "grid": [x, y, z], ..., "lines": [...]}, ...]
std::string kernels_json(const std::vector<wire::KernelCounters>& kernels);
// [{"kernel": ..., "grid": [x, y, z], ..., "features": {...}}, ...]
std::string shapes_json(const std::vector<wire::Shape>& shapes);

}  // namespace judge
