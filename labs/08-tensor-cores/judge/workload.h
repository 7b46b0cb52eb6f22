// SPDX-License-Identifier: MIT
// The measurable calls of this lab.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// The product of two square matrices, by matmul_bf16, matmul_split or matmul_e4m3. An item is an
// element of C: num_items is rounded down to the square of a multiple of 16, the edge of all three
// matrices. 2^24 items are 4096^3 multiply-adds.
judge::Workload bf16_product(std::size_t num_items);
judge::Workload wgmma_product(std::size_t num_items);  // whose limit is that of wgmma
judge::Workload split_product(std::size_t num_items);
judge::Workload e4m3_product(std::size_t num_items);

// The same C, from factors of a small depth. Where a call is counted, more depth costs time and
// shows nothing.
judge::Workload counted_bf16_product(std::size_t num_items);
judge::Workload counted_wgmma_product(std::size_t num_items);
judge::Workload counted_split_product(std::size_t num_items);
judge::Workload counted_e4m3_product(std::size_t num_items);

}  // namespace lab_judge
