// SPDX-License-Identifier: MIT
// Pictures and tables made and checked where they lie: they are too large to copy. All pointers are
// to device memory (cpu backend: to shared host memory).
#pragma once

#include <cstdint>

#include "diagnosis.h"

namespace lab_judge {

// Fills (height, width) with whole numbers so small that no sum of any of them overflows.
void fill_picture(int* d_picture, Shape shape, std::uint64_t seed);

// Fills (height, width) with whole numbers below 2^20. Any numbers are the table of some picture.
void fill_table(int* d_table, Shape shape, std::uint64_t seed);

// How many pixels of a table are wrong. Each must be the picture's pixel plus what the table has
// left of it, plus what it has above, less what it has above left: a table of which this holds
// everywhere is right everywhere, by induction.
std::uint64_t count_wrong(const int* d_picture, const int* d_table, Shape shape);

// How many pixels of d_means are not the mean that lab::box_filter asks for.
std::uint64_t count_wrong_means(const int* d_table, const float* d_means, Shape shape,
                                int window_width, int window_height);

}  // namespace lab_judge
