// SPDX-License-Identifier: MIT
// Which tests judge which rung of 09-attention, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  constexpr std::size_t kSpeedItems = std::size_t{1} << 27;  // 4096 queries and keys
  constexpr std::size_t kBudgetItems = std::size_t{1} << 16;
  return judge::run(argc, argv,
                    {.default_suite = "Attention",
                     .workload = {.make = lab_judge::three_kernel_attention,
                                  .make_counted = lab_judge::counted_three_kernel_attention,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems},
                     .suites = {{"02_fused",
                                 "Attention",
                                 {.make = lab_judge::fused_attention,
                                  .make_counted = lab_judge::counted_fused_attention,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems}},
                                {"03_causal",
                                 "Attention",
                                 {.make = lab_judge::causal_attention,
                                  .make_counted = lab_judge::counted_causal_attention,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems}},
                                {"04_split_keys",
                                 "Attention.*:SplitAttention",
                                 {.make = lab_judge::split_attention,
                                  .make_counted = lab_judge::counted_split_attention,
                                  .speed_items = kSpeedItems,
                                  .budget_items = std::size_t{1} << 14}},
                                {"05_tensor_cores",
                                 "Attention",
                                 {.make = lab_judge::bf16_attention,
                                  .make_counted = lab_judge::counted_bf16_attention,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems}},
                                {"07_wgmma",
                                 "Attention.*:WgmmaAttention",
                                 {.make = lab_judge::wgmma_attention,
                                  .make_counted = lab_judge::counted_wgmma_attention,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems}}}});
}
