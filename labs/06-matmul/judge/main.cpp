// SPDX-License-Identifier: MIT
// Which tests judge the rungs of 06-matmul, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  constexpr std::size_t kSpeedItems = std::size_t{1} << 24;
  return judge::run(argc, argv,
                    {.default_suite = "Matmul",
                     .workload = {.make = lab_judge::square_product,
                                  .speed_items = kSpeedItems,
                                  .budget_items = std::size_t{1} << 16},
                     // 32 tiles of 128 x 256: two for each multiprocessor of the emulated device.
                     .suites = {{"05_warp_tiled",
                                 "Matmul",
                                 {.make = lab_judge::square_product,
                                  .make_counted = lab_judge::flat_product,
                                  .speed_items = kSpeedItems,
                                  .budget_items = std::size_t{1} << 20}}}});
}
