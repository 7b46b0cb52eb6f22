// SPDX-License-Identifier: MIT
// Which tests judge the rungs of 06-matmul, and what is measured.
#include "judge.h"
#include "workload.h"

int main(int argc, char** argv) {
  return judge::run(argc, argv,
                    {.default_suite = "Matmul",
                     .workload = {.make = lab_judge::square_product,
                                  .speed_items = std::size_t{1} << 24,
                                  .budget_items = std::size_t{1} << 16}});
}
