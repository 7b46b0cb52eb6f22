// SPDX-License-Identifier: MIT
// Accesses to declared variables through a pointer to another type.
//
// For `*(float4*)&tile[t][0]` of `__shared__ float tile[32][33]` clang asks for no more alignment
// than the array is declared with, and reads four words. nvcc takes the type's word for it and
// reads one vector, which is a fault where the address is no multiple of 16.
#pragma once

#include "front/module.h"

namespace front {

/// Gives such accesses the alignment of their types, as far as the text says it, and takes out all
/// marks of types: pointers of any type may point to the same memory, as nvcc has it.
void align_as_types_are(Module& module);

}  // namespace front
