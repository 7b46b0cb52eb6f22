// SPDX-License-Identifier: MIT
// What is measured, and against which limit.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// Rungs 01 to 04: one table of whole numbers. num_items pixels, a power of two: as square as that
// allows. The limit copies the picture, which is the least that a table can cost.
judge::Workload table_workload(std::size_t num_items);

// Rung 05: one picture of means over windows of 31 x 17 pixels. The limit copies the table.
judge::Workload box_filter_workload(std::size_t num_items);

}  // namespace lab_judge
