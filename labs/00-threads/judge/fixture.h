// SPDX-License-Identifier: MIT
// Helpers of this lab's tests.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "process/submission.h"
#include "threads.cuh"

namespace lab_judge {

// Adds the case that failed to the message, except where the function is not written yet.
void tell_case(judge::Failure& failure, const std::string& before, const std::string& after = {});

// "1 block", "2 blocks"
std::string count_of(int count, const std::string& noun);

// "7.25", "-910": as few digits as it needs, at most seven
std::string figure(double value);

// "element (3, 17)"
std::string element_name(int row, int column);

// A clause that completes "It looks as if ...", from which elements of a matrix are still poison;
// or nothing.
//   h_matrix (height, width), row-major; made by blocks of block_width x block_height threads
std::string explain_unwritten(const std::vector<float>& h_matrix, int width, int height,
                              int block_width, int block_height);

}  // namespace lab_judge
