// SPDX-License-Identifier: MIT
// Names the mistake that wrong outputs look like.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data.h"

namespace lab_judge {

// A clause that completes "It looks as if ...", or nothing. It is a guess: given only if the
// examined rows are what the mistake would give. `wrong`: the wrong elements, ascending.
std::string explain(const Problem& problem, const std::vector<float>& h_out,
                    const std::vector<std::size_t>& wrong);

}  // namespace lab_judge
