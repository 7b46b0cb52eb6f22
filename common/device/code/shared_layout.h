// SPDX-License-Identifier: MIT
// Where each kernel has its shared variables.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "code/program.h"

namespace code {

struct SharedUse {
  Function* function = nullptr;
  std::vector<const Function*> calls;  // or takes the address of
  std::set<std::uint32_t> shared;      // symbols that it names
};

// Gives every kernel places for the variables that it and all that it may call use.
void lay_out_shared(Program& program, const std::vector<SharedUse>& uses);

}  // namespace code
