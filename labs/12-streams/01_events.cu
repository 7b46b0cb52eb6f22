// SPDX-License-Identifier: MIT
// How long do the copy in, the kernel and the copy out take? Events between the stages say it.
// The longest stage limits what overlap can reach.
#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "streams.cuh"

namespace lab {

StageTimes time_stages(const std::uint32_t* h_in, int num_items, int num_rounds,
                       std::uint32_t* h_out, int num_repeats, Scratch& scratch) {
  todo("01_events: write the function, then delete this line");

  std::uint32_t* const d_in = scratch.allocate<std::uint32_t>(num_items);
  std::uint32_t* const d_out = scratch.allocate<std::uint32_t>(num_items);
  const std::size_t size_bytes = num_items * sizeof(std::uint32_t);
  // TODO 1. Make a stream that does not wait for the default stream. How many events do three
  //         stages that follow each other need?

  StageTimes sum = {};
  for (int repeat = 0; repeat <= num_repeats; ++repeat) {
    // TODO 2. Copy in, launch_mix(), copy out, with an event before and after each stage. Which of
    //         these calls take the stream? What happens to an event that is recorded without it?
    // TODO 3. When may the host ask for the elapsed times, and when may it record the events again?
    // TODO 4. Add up each stage's time. Which repeat does not count, and why?
  }

  // TODO 5. Destroy what you made. Return the means, not the sums.
  return sum;
}

}  // namespace lab
