// SPDX-License-Identifier: MIT
// Gives each instruction of a program the function that executes it.
#pragma once

#include "code/program.h"

namespace run {

// An instruction that nothing executes ends the kernel that comes to it, with a finding.
void bind(code::Program& program);

}  // namespace run
