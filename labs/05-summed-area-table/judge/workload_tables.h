// SPDX-License-Identifier: MIT
// Makes and checks pictures and tables in device memory: they are too large to copy. All pointers
// are to device memory (cpu backend: to shared host memory).
#pragma once

#include <cstdint>

#include "reference.h"

namespace lab_judge {

// Fills (height, width) with whole numbers so small that no sum of any of them overflows.
void fill_picture(int* d_picture, Shape shape, std::uint64_t seed);

// Fills (height, width) with whole numbers below 2^20. Any numbers are the table of some picture.
void fill_table(int* d_table, Shape shape, std::uint64_t seed);

// How many pixels of a table are wrong. Each must be the picture's pixel, plus the table's entries
// left of it and above it, minus the one above left. By induction, a table that fulfils this
// everywhere is right everywhere.
std::uint64_t count_wrong(const int* d_picture, const int* d_table, Shape shape);

// How many pixels of d_means are not the mean that lab::box_filter must give.
std::uint64_t count_wrong_means(const int* d_table, const float* d_means, Shape shape,
                                int window_width, int window_height);

}  // namespace lab_judge
