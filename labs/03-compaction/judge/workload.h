// SPDX-License-Identifier: MIT
// The measured calls: each keeps half of many items, at random.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

judge::Workload compact_workload(std::size_t num_items);    // rungs 01 to 03
judge::Workload partition_workload(std::size_t num_items);  // rung 04
judge::Workload unordered_workload(std::size_t num_items);  // rung 05

}  // namespace lab_judge
