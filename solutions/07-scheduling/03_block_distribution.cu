// SPDX-License-Identifier: MIT
// How the SMs get a grid's blocks: at first as many as there is room for, then one by one.
// New: time. Which SM gets a block depends on which is free; a grid's time, on its last wave.
// Limit: O(log) of the running blocks per block, and a look at all SMs.
#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "scheduling.cuh"

namespace lab {
namespace {

int divide_up(int items, int unit) { return (items + unit - 1) / unit; }

}  // namespace

Waves waves(int num_blocks, int num_sms, int blocks_per_sm) {
  const int places = num_sms * blocks_per_sm;
  const int num_resident = std::min(num_blocks, places);
  const int num_waves = divide_up(num_blocks, places);
  return {.num_resident = num_resident,
          .most_on_an_sm = divide_up(num_resident, num_sms),
          .least_on_an_sm = num_resident / num_sms,
          .num_waves = num_waves,
          .last_wave = num_blocks - (num_waves - 1) * places,  // a full one is not an empty one
          .efficiency = num_blocks / (static_cast<double>(num_waves) * places)};
}

int distribute(const int* h_durations, int num_blocks, int num_sms, int blocks_per_sm, int* h_start,
               int* h_sm) {
  using Running = std::pair<int, int>;  // the cycle in which a block ends, its SM
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  std::vector<int> num_resident(num_sms, 0);
  const auto least_loaded = [&] { return std::ranges::min_element(num_resident); };  // the first
  int now = 0;
  int last_end = 0;

  for (int block = 0; block < num_blocks; ++block) {
    if (*least_loaded() == blocks_per_sm) {
      now = running.top().first;
      // All blocks that end in this cycle leave before the next block chooses an SM.
      while (!running.empty() && running.top().first == now) {
        --num_resident[running.top().second];
        running.pop();
      }
    }
    const auto sm = least_loaded();
    ++*sm;
    const int end = now + h_durations[block];
    h_start[block] = now;
    h_sm[block] = static_cast<int>(sm - num_resident.begin());
    running.emplace(end, h_sm[block]);
    last_end = std::max(last_end, end);  // not always the block that started last
  }
  return last_end;
}

}  // namespace lab
