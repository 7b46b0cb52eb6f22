// SPDX-License-Identifier: MIT
// The counted calls. On cpu the device is posed: its engines have the rates of workload.cpp, so
// that few items make the timeline of many.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

judge::Workload pageable_words(std::size_t num_items);
judge::Workload pinned_words(std::size_t num_items);
judge::Workload batches(std::size_t num_items);
judge::Workload steps(std::size_t num_steps);
judge::Workload words_to_add(std::size_t num_items);

}  // namespace lab_judge
