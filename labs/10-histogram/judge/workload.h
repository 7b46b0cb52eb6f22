// SPDX-License-Identifier: MIT
// The measured calls: random samples in [0, 1), all of which count.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// 256 bins. Skewed: one bin gets all but one sample in 64. Both: every second call of a batch is
// skewed.
judge::Workload uniform_samples(std::size_t num_samples);
judge::Workload skewed_samples(std::size_t num_samples);
judge::Workload both_samples(std::size_t num_samples);

// 2048 bins: too many for a copy per lane.
judge::Workload skewed_samples_of_many_bins(std::size_t num_samples);

// 2^17 bins: too many for a block's shared memory.
judge::Workload samples_of_too_many_bins(std::size_t num_samples);

}  // namespace lab_judge
