// SPDX-License-Identifier: MIT
// Which divergences count.
#pragma once

#include "code/program.h"

namespace count {

// Whether lanes that part at the branch make a divergent branch. They do not if a device's compiler
// would take conditional instructions instead: each side is at most one short basic block that
// touches no memory and calls nothing, and the sides meet right after it. Neither do they where no
// student wrote the branch: in a function of a library, such as std::min.
bool is_branch(const code::Program& program, const code::Function& function,
               const code::Instruction& branch);

}  // namespace count
