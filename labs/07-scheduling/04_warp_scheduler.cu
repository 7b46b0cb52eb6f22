// SPDX-License-Identifier: MIT
// A warp scheduler, cycle by cycle: which warp issues, which waits, when all are done.
// What 02 computes with a division happens here one instruction at a time. The judge draws it.
#include <vector>

#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {

Schedule schedule_warps(Policy policy, const Warp* h_warps, int num_warps,
                        const Instruction* h_instructions, int* h_timeline) {
  todo("04_warp_scheduler: schedule the warps, then delete this line");

  std::vector<int> num_issued(num_warps, 0);  // instructions of each warp
  std::vector<int> ready_at(num_warps, 0);    // from which cycle on its next one may issue
  // TODO 1. From which cycle on may a warp's first instruction issue?
  // TODO 2. Go from cycle to cycle. Which warps are ready?
  // TODO 3. kRoundRobin: begin to look after the warp that issued last. Where before the first
  //         issue? Does an idle cycle change that?
  // TODO 4. kGreedyThenOldest: when does it stay with its warp? Which one is the oldest?
  // TODO 5. Write the warp into as many cycles of h_timeline as the instruction is issued for, and
  //         kIdle where no warp was ready. When may this warp issue again, when another?
  // TODO 6. All instructions are issued: are all results there?
  return {0, 0};
}

}  // namespace lab
