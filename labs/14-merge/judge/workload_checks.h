// SPDX-License-Identifier: MIT
// Makes and checks timed data of gigabytes in device memory. All pointers are to device memory (cpu
// backend: to shared host memory).
#pragma once

#include <cstddef>
#include <cstdint>

#include "merge.cuh"

namespace lab_judge {

// Random items, and items that ascend by value, by `stride` from each to the next on average.
void fill(lab::Fraction* d_items, std::size_t num_items, std::uint64_t seed);
void fill_ascending(lab::Fraction* d_items, std::size_t num_items, std::uint64_t seed, int stride);

// A sum over all items in which each counts by its bits and a secret salt, not by its place. Arrays
// with different items have equal sums with a probability of about 2^-64.
std::uint64_t weight_of(const lab::Fraction* d_items, std::size_t num_items, std::uint64_t salt);

// How many neighbours within runs of `run_items` items are in the wrong order by value.
std::uint64_t count_descents(const lab::Fraction* d_items, std::size_t num_items,
                             std::size_t run_items);

}  // namespace lab_judge
