// SPDX-License-Identifier: MIT
// DWARF 2 as clang emits it for PTX: where it keeps the local variables of functions.
#pragma once

#include "ptx/module.h"

namespace ptx {

// Fills Function::locals from the module's debug sections. Functions without such text, and all
// functions where it cannot be read, keep none.
void find_locals(Module& module);

}  // namespace ptx
