// SPDX-License-Identifier: MIT
#pragma once

#include "block.h"

namespace simt::device {

// Performs the warp operations whose lanes are all there (after a lane has ended), and makes their
// lanes ready.
void complete_operations(Warp& warp);

// Makes one group of lanes ready that wait in the same call of __activemask.
void release_converged(Warp& warp);

}  // namespace simt::device
