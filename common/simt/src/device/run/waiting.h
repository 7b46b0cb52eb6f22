// SPDX-License-Identifier: MIT
// Describes what the threads of a block wait for.
#pragma once

#include <vector>

#include "report/waiting_text.h"

namespace simt::device {

struct Block;

// The block's live threads, in order of their ids. Call when none can run.
std::vector<WaitingThread> waiting_threads(const Block& block);

// A thread of it waits for a change of memory that all blocks see, and so perhaps the host.
bool polls_global_memory(const Block& block);

// Two lanes of a warp wait for each other with different masks or in different operations.
bool has_mask_mismatch(const Block& block);

}  // namespace simt::device
