// SPDX-License-Identifier: MIT
// Helpers of this lab's tests.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "fixture/words.h"
#include "process/submission.h"
#include "threads.cuh"

namespace lab_judge {

using judge::counted;

// Adds the case that failed to the message, except where the function is not written yet.
void tell_case(judge::Failure& failure, const std::string& before, const std::string& after = {});

// "7.25", "-910": as few digits as it needs, at most seven
inline std::string figure(double value) { return judge::number(value, 7); }

// "element (3, 17)"
std::string element_name(int row, int column);

// A clause that completes "It looks as if ...", from which elements of a matrix are still poison;
// or nothing.
//   h_matrix (height, width), row-major; made by blocks of block_width x block_height threads
std::string explain_unwritten(const std::vector<float>& h_matrix, int width, int height,
                              int block_width, int block_height);

}  // namespace lab_judge
