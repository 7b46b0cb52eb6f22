// SPDX-License-Identifier: MIT
// mutant of: 03_block_distribution
// mistake: trivial: a copy of the input
// expect: failed wrong_result
#include "scheduling.cuh"

namespace lab {

Waves waves(int num_blocks, int num_sms, int blocks_per_sm) {
  return {num_blocks, num_sms, num_sms, blocks_per_sm, num_blocks, 1.0};
}

int distribute(const int* h_durations, int num_blocks, int /*num_sms*/, int /*blocks_per_sm*/,
               int* h_start, int* h_sm) {
  for (int block = 0; block < num_blocks; ++block) {
    h_start[block] = h_durations[block];
    h_sm[block] = h_durations[block];
  }
  return num_blocks;
}

}  // namespace lab
