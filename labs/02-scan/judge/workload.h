// SPDX-License-Identifier: MIT
// The measured calls of this lab.
#pragma once

#include <cstddef>

#include "measure/workload.h"

namespace lab_judge {

// exclusive_scan of num_items words of random bits.
judge::Workload exclusive_workload(std::size_t num_items);

// inclusive_scan of the same, for the rung that has no exclusive_scan.
judge::Workload inclusive_workload(std::size_t num_items);

// The scratch bytes that the contract promises.
inline std::size_t scratch_bytes(std::size_t num_items) {
  return num_items / 4 + (std::size_t{64} << 10);
}

}  // namespace lab_judge
