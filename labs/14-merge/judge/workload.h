// SPDX-License-Identifier: MIT
// The measured calls.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// Two ascending arrays over the same range of values, with 3/8 and 5/8 of the items.
judge::Workload merging(std::size_t num_items);

// Random items, sorted by value.
judge::Workload sorting_tiles(std::size_t num_items);
judge::Workload sorting(std::size_t num_items);

}  // namespace lab_judge
