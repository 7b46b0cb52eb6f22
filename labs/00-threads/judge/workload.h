// SPDX-License-Identifier: MIT
// The measured calls of rungs 01 and 02.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

judge::Workload matrix_add_workload(std::size_t num_items);
judge::Workload scale_workload(std::size_t num_items);

}  // namespace lab_judge
