// SPDX-License-Identifier: MIT
// The measured calls: random points and weights. The limit is a copy of the points.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// A line of num_items points; a picture or a volume of about as many. If num_items is a power of
// two, the picture is square or twice as wide as high, and the volume is a cube or twice as long in
// x, or in x and y.
judge::Workload line(std::size_t num_items);
judge::Workload picture(std::size_t num_items);
judge::Workload separable(std::size_t num_items);
judge::Workload volume(std::size_t num_items);
judge::Workload volume_twice(std::size_t num_items);  // "per item" is per point, for both steps

}  // namespace lab_judge
