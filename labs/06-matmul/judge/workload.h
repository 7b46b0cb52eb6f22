// SPDX-License-Identifier: MIT
// The measurable call of this lab.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// The product of two square matrices. An item is an element of C: num_items is rounded down to a
// square, the edge of all three matrices is its root, and an item costs 2 * edge operations.
// 2^24 items are 4096^3 multiply-adds.
judge::Workload square_product(std::size_t num_items);

// The same C, which fills a device with large tiles, of a few tiles' depth. Where a call is
// counted, more depth costs time and shows nothing.
judge::Workload flat_product(std::size_t num_items);

}  // namespace lab_judge
