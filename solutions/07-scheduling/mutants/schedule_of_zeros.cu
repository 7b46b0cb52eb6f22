// SPDX-License-Identifier: MIT
// mutant of: 04_warp_scheduler
// mistake: trivial: zeros
// expect: failed wrong_result
#include "scheduling.cuh"

namespace lab {

Schedule schedule_warps(Policy /*policy*/, const Warp* /*h_warps*/, int /*num_warps*/,
                        const Instruction* /*h_instructions*/, int* h_timeline) {
  h_timeline[0] = 0;
  return {0, 0};
}

}  // namespace lab
