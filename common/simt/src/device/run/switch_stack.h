// SPDX-License-Identifier: MIT
// Leaves one stack for another, within one OS thread.
//
// Half of the time of a kernel that shuffles was spent in switches. What cost most was not the work
// but wrong guesses: a processor predicts where a function returns from the calls that it has seen,
// and Boost.Context, for one, ends a switch by a jump, after which every guess is one call too old.
// These functions end by a return. What was called before on the one stack matches what returns on
// the other wherever both wait in the same place, as lanes do. The rounding mode is not part of a
// switch either: kernels cannot change it.
#pragma once

#include <cstdint>

namespace simt::device {

extern "C" {

// Stores in *from where the running stack was left, and goes on at `to`, which such a call stored
// or prepare_stack() returned. Returns when something switches back.
void simt_switch_stack(void** from, void* to);
}

// Makes the first switch to the result call `entry`, which must not return, on the stack whose
// highest address is `top`.
void* prepare_stack(std::uintptr_t top, void (*entry)());

}  // namespace simt::device
