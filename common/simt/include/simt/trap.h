// SPDX-License-Identifier: MIT
// Ending a kernel from inside. assert() needs no declaration here: the library replaces the C
// library's failure handler, and in a kernel ends the kernel with cudaErrorAssert.
#pragma once

// Ends the kernel with cudaErrorLaunchFailure.
[[noreturn]] void __trap();

// A breakpoint: nothing without a debugger.
inline void __brkpt() {}
