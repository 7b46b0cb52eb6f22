// SPDX-License-Identifier: MIT
// Timelines of warps as a picture: one row per warp, one column per cycle.
#pragma once

#include <string>
#include <vector>

namespace lab_judge {

struct Picture {
  int width = 0;  // in pixels
  int height = 0;
  std::vector<unsigned char> rgb;  // (height, width, 3)
};

// Two timelines one above the other: `got`, then `expected`. The first cycle in which they differ
// is marked, if there is one. Entries of `got` that are not a warp count as idle.
Picture draw_timelines(const std::vector<int>& got, const std::vector<int>& expected,
                       int num_warps);

// The first cycle in which they differ, or in which one has ended; -1: none.
int first_difference(const std::vector<int>& got, const std::vector<int>& expected);

}  // namespace lab_judge
