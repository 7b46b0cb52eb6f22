// SPDX-License-Identifier: MIT
// What functions of mathematics cost. A device has them as instructions of the program; here they
// are calls, which the machine answers.
#pragma once

#include <cstdint>
#include <string_view>

namespace timing {

struct FunctionCost {
  std::uint32_t slots = 0;  // 0: the function is none of these
  bool is_double = false;
};
FunctionCost cost_of_function(std::string_view name);

}  // namespace timing
