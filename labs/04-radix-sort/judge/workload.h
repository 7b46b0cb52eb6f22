// SPDX-License-Identifier: MIT
// The measured calls of this lab: large random inputs, made and checked in device memory.
#pragma once

#include <cstddef>

#include "measure/workload.h"

namespace lab_judge {

// The contract's least: 16 bytes per item and 1 MiB.
inline std::size_t scratch_bytes(std::size_t num_items) {
  return 16 * num_items + (std::size_t{1} << 20);
}

judge::Workload sort_workload(std::size_t num_items);   // radix_sort
judge::Workload tiles_workload(std::size_t num_items);  // sort_tiles
judge::Workload bits_workload(std::size_t num_items);   // sort_bits
judge::Workload pairs_workload(std::size_t num_items);  // sort_pairs

}  // namespace lab_judge
