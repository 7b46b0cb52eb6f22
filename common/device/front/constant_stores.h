// SPDX-License-Identifier: MIT
// Stores of kernels to `__constant__` variables.
//
// LLVM takes constant memory for memory that nothing can write, so such a store has no effect to it
// and goes. Through a pointer of unknown origin it stays, and the device reports it.
#pragma once

#include "front/module.h"

namespace front {

/// Hides where the pointers of such stores come from. Pointers are followed through local variables
/// and into the functions that get them.
void keep_constant_stores(Module& module);

}  // namespace front
