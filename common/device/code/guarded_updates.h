// SPDX-License-Identifier: MIT
// Plain loads that decide about an atomic update: `if (value > *best) atomicMax(best, value);`
#pragma once

#include "code/program.h"

namespace code {

// Sets Instruction::guarded_update of loads in the function, by the registers of the addresses.
void find_guarded_updates(Function& function);

}  // namespace code
