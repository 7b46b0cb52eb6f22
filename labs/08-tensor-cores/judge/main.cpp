// SPDX-License-Identifier: MIT
// Which tests judge which rung of 08-tensor-cores, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  constexpr std::size_t kSpeedItems = std::size_t{1} << 24;
  constexpr std::size_t kBudgetItems = std::size_t{1} << 18;
  return judge::run(argc, argv,
                    {.default_suite = "MatmulBf16",
                     .workload = {.make = lab_judge::bf16_product,
                                  .make_counted = lab_judge::counted_bf16_product,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems},
                     .suites = {{"05_split",
                                 "MatmulSplit",
                                 {.make = lab_judge::split_product,
                                  .make_counted = lab_judge::counted_split_product,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems}},
                                {"06_fp8",
                                 "MatmulE4m3",
                                 {.make = lab_judge::e4m3_product,
                                  .make_counted = lab_judge::counted_e4m3_product,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems}},
                                {"07_wgmma",
                                 "MatmulBf16",
                                 {.make = lab_judge::wgmma_product,
                                  .make_counted = lab_judge::counted_wgmma_product,
                                  .speed_items = kSpeedItems,
                                  .budget_items = kBudgetItems}}}});
}
