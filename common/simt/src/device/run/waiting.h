// SPDX-License-Identifier: MIT
// Describes what the threads of a block wait for.
#pragma once

#include <optional>
#include <vector>

#include "report/waiting_text.h"

namespace simt::device {

struct Block;

// The block's live threads, in order of their ids. Call when none can run.
std::vector<WaitingThread> waiting_threads(const Block& block);

// A warp operation that waits for lanes which wait at a barrier.
struct StuckOperation {
  WaitingThread caller;                // waits in the operation
  std::vector<WaitingThread> missing;  // its mask names them; not empty
  // The missing ones have gone past the operation, to a barrier behind it. If not, they wait at a
  // barrier that the caller went past.
  bool was_skipped;
};

// The first one in order of threads, if there is one. Call when none can run.
std::optional<StuckOperation> stuck_operation(const Block& block);

// A thread of it waits for a change of memory that all blocks see, and so perhaps the host.
bool polls_global_memory(const Block& block);

// Two lanes of a warp wait for each other with different masks or in different operations.
bool has_mask_mismatch(const Block& block);

}  // namespace simt::device
