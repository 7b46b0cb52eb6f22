// SPDX-License-Identifier: MIT
// Gives each instruction of a program the function that executes it.
#pragma once

#include <string>
#include <vector>

#include "code/program.h"

namespace run {

// An instruction that nothing executes ends the kernel that comes to it, with a finding.
// Returns a sentence about each.
std::vector<std::string> bind(code::Program& program);

}  // namespace run
