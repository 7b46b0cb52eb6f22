// SPDX-License-Identifier: MIT
#pragma once

#include "block.h"

namespace simt::device {

// Lets the threads at the block's barrier go on if all live threads are there.
void release_barrier_if_complete(Block& block);

}  // namespace simt::device
