// SPDX-License-Identifier: MIT
// What is measured. An item is a query and a key of one head.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// As many queries as keys: 8 heads, of bf16_attention 64, as in a batch of 4 with 16 heads.
judge::Workload three_kernel_attention(std::size_t num_items);
judge::Workload fused_attention(std::size_t num_items);
judge::Workload causal_attention(std::size_t num_items);
judge::Workload bf16_attention(std::size_t num_items);
// 8 heads with 4 queries each.
judge::Workload split_attention(std::size_t num_items);

// The same with one head, to be counted.
judge::Workload counted_three_kernel_attention(std::size_t num_items);
judge::Workload counted_fused_attention(std::size_t num_items);
judge::Workload counted_causal_attention(std::size_t num_items);
judge::Workload counted_bf16_attention(std::size_t num_items);
judge::Workload counted_split_attention(std::size_t num_items);

}  // namespace lab_judge
