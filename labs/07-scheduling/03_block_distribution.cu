// SPDX-License-Identifier: MIT
// How the SMs get a grid's blocks: at first as many as there is room for, then one by one.
// New: time. Which SM gets a block depends on which is free; a grid's time, on its last wave.
#include <vector>

#include "lab/todo.cuh"
#include "scheduling.cuh"

namespace lab {

Waves waves(int num_blocks, int num_sms, int blocks_per_sm) {
  todo("03_block_distribution: write both functions, then delete these lines");

  const int places = num_sms * blocks_per_sm;
  // TODO 1. How many blocks run at once? How many does an SM have at most and at least, if
  //         they are dealt out evenly? (100 blocks, 16 SMs.)
  // TODO 2. How many rounds are there? How many blocks does the last one have, also if it is full?
  // TODO 3. Places over all rounds, and the share of them that is used: which type?
  return {places, 0, 0, num_blocks / places, num_blocks % places, 0.0};
}

int distribute(const int* h_durations, int num_blocks, int num_sms, int blocks_per_sm, int* h_start,
               int* h_sm) {
  todo("03_block_distribution: write both functions, then delete these lines");

  // Blocks that are resident on each SM at the moment.
  std::vector<int> num_resident(num_sms, 0);
  int now = 0;
  for (int block = 0; block < num_blocks; ++block) {
    // TODO 4. If no SM has room, move `now` on to where the next block ends. How do you find it
    //         without looking at all blocks? Which others leave in that cycle?
    // TODO 5. Which SM gets the block? Look at all, or keep them in an order.
    h_start[block] = now;
    h_sm[block] = block % num_sms;
    // TODO 6. Remember when it ends, and where.
    now += h_durations[block] / blocks_per_sm;
  }
  // TODO 7. When is the grid done? Is it the block that started last?
  return now;
}

}  // namespace lab
