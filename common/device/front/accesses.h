// SPDX-License-Identifier: MIT
// Accesses as nvcc has them.
//
// For `*(float4*)&tile[t][0]` of `__shared__ float tile[32][33]` clang asks for no more alignment
// than the array is declared with, and reads four words. nvcc trusts the type and reads one
// vector, which is a fault where the address does not divide by 16.
#pragma once

#include "front/module.h"

namespace front {

/// Gives accesses as scalars and as CUDA's vectors the alignment of that type, which clang's marks
/// of types show. Members keep theirs, as their structure may be packed, and so do bytes that
/// memcpy() copies.
void align_as_types_are(Module& module);

/// What optimisation makes of local variables: registers, which it divides copies for, or, without
/// it, memory.
enum class Locals { kRegisters, kMemory };

/// Lets copies be accesses as nvcc has them: of 16 bytes, which clang cuts in two, and of two
/// halves, which NVIDIA's headers copy as one word. After align_as_types_are().
void copy_whole(Module& module, Locals locals);

/// Takes the marks of types out: pointers of any type may point to the same memory, as nvcc has it.
void forget_types(Module& module);

}  // namespace front
