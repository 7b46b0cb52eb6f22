// SPDX-License-Identifier: MIT
// Names the mistake that a wrong table looks like. A name is a guess: it is given only if every
// pixel is exactly what the mistake would give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference.h"

namespace lab_judge {

// A clause that completes "It looks as if ...", or nothing. No clause contains a number: the same
// mistake must read the same at every size.
std::string explain(const ExactTable& exact, const std::vector<std::int64_t>& got);

}  // namespace lab_judge
