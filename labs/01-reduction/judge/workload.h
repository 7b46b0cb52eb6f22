// SPDX-License-Identifier: MIT
// The measured calls: a sum in rungs 01 to 06, a mean in rung 07.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

judge::Workload sum_workload(std::size_t num_items);
judge::Workload mean_workload(std::size_t num_items);

}  // namespace lab_judge
