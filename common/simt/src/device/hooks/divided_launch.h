// SPDX-License-Identifier: MIT
// A long launch on several cores. Its first blocks run as ever. If they take so long that the rest
// is worth it, this process forks: each child runs a part of the other blocks, with the very stamps
// that their accesses would have. If no part does what require_whole_launch() is about, and none
// writes what another one accesses, then what they did to memory and records is what one process
// would have done, and is taken over. Otherwise the other blocks run here, one after another. So
// results and findings are the same with any number of cores.
#pragma once

#include "hooks/kernel.h"

namespace simt::device {

// Runs the kernel like proceed(), as divided as it may be.
void proceed_on_cores(Kernel& kernel, std::uint64_t patience);

}  // namespace simt::device
