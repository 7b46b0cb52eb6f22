// SPDX-License-Identifier: MIT
// Plain loads that decide about an atomic update: `if (value > *best) atomicMax(best, value);`
#pragma once

#include "code/program.h"

namespace code {

// Sets Instruction::guarded_update of loads in the function, by the registers of the addresses, and
// may_be_verified: of those, and of all where the function has a compare-and-swap.
void find_guarded_updates(Function& function);

}  // namespace code
