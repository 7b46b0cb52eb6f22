// SPDX-License-Identifier: MIT
// What is measured. An item is a query and a key of one head.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// num_items is that of 8 heads with as many queries as keys. attention_bf16 has 64 heads of that
// length, as in a batch of 4 with 16 heads. split_attention has 8 heads with 4 queries and 32 times
// as many keys.
judge::Workload three_kernel_attention(std::size_t num_items);
judge::Workload fused_attention(std::size_t num_items);
judge::Workload causal_attention(std::size_t num_items);
judge::Workload split_attention(std::size_t num_items);
judge::Workload bf16_attention(std::size_t num_items);
judge::Workload wgmma_attention(std::size_t num_items);  // the same, whose limit is that of wgmma

// With one head, to be counted.
judge::Workload counted_three_kernel_attention(std::size_t num_items);
judge::Workload counted_fused_attention(std::size_t num_items);
judge::Workload counted_causal_attention(std::size_t num_items);
judge::Workload counted_bf16_attention(std::size_t num_items);
judge::Workload counted_wgmma_attention(std::size_t num_items);
judge::Workload counted_split_attention(std::size_t num_items);

}  // namespace lab_judge
