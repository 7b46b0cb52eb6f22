// SPDX-License-Identifier: MIT
// Registers that warps give and take: setmaxnreg.
#pragma once

#include "run/engine.h"

namespace run {

code::Handler register_count_handler(code::Op& op, const code::Instruction& instruction);

// The block has ended: reports counts that a multiprocessor could not have given to it.
void check_register_counts(RunningBlock& block);

}  // namespace run
