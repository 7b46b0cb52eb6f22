// SPDX-License-Identifier: MIT
// The measured calls and their limits.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// Rungs 01 to 04: one table of whole numbers. num_items pixels, a power of two, in a picture that
// is square or twice as wide as high. The limit copies the picture: the lower bound for a table.
judge::Workload table_workload(std::size_t num_items);

// Rung 05: one picture of means over windows of 31 x 17 pixels. The limit copies the table.
judge::Workload box_filter_workload(std::size_t num_items);

// Rung 06: one picture, in which every pixel has a window of its own. It is counted, not timed.
judge::Workload depth_of_field_workload(std::size_t num_items);

}  // namespace lab_judge
