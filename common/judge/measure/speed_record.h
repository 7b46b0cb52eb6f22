// SPDX-License-Identifier: MIT
// What a measured speed becomes: a line of a benchmark, or properties of a test.
#pragma once

#include <string>

#include "measure/speed.h"

namespace judge {

// One line of a benchmark: every figure of the result by name.
std::string to_json(const Workload& workload, std::size_t num_items, const SpeedResult& result);

// Writes the result as test properties, and fails the running test if there is a failure.
void record_speed(const Workload& workload, const SpeedResult& result);

}  // namespace judge
