// SPDX-License-Identifier: MIT
// Checks the results of measured calls in device memory: copying gigabytes would take seconds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lab_judge {

// How many items of d_out with a number in [begin, end) do not follow from the item before them. If
// all follow, the whole scan is right: this checks every item without a reference.
std::uint64_t count_breaks(const int* d_in, const int* d_out, std::size_t begin, std::size_t end,
                           bool is_inclusive);

}  // namespace lab_judge
