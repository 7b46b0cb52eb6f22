// SPDX-License-Identifier: MIT
// What the text of clang's intermediate code is changed in.
#pragma once

#include "front/module.h"

namespace front {

/// What optimisation makes of local variables: registers, which it divides copies for, or, without
/// it, memory.
enum class Locals { kRegisters, kMemory };

/// Gives accesses the alignment and the size that they have with nvcc.
///
/// For `*(float4*)&tile[t][0]` of `__shared__ float tile[32][33]` clang asks for no more alignment
/// than the array is declared with, and reads four words. nvcc trusts the type and reads one
/// vector, which is a fault where the address does not divide by 16. Members keep their alignment,
/// as their structure may be packed, and so do bytes that memcpy() copies. A copy of 16 bytes is
/// one access, which clang cuts in two, and so is one of two halves, which NVIDIA's headers copy as
/// one word.
///
/// Takes clang's marks of types out, which show all that: pointers of any type may point to the
/// same memory, as nvcc has it.
void access_as_nvcc_does(Module& module, Locals locals);

/// Hides where the pointers of stores to `__constant__` variables come from.
///
/// LLVM takes constant memory for memory that nothing can write, so such a store has no effect to
/// it and goes. Through a pointer of unknown origin it stays, and the device reports it. Pointers
/// are followed through local variables and into the functions that get them.
void keep_constant_stores(Module& module);

}  // namespace front
