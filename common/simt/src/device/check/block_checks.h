// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "check/async_copies.h"
#include "check/clocks.h"
#include "check/leavers.h"
#include "check/shared_shadow.h"

namespace simt::device {

// What the checkers keep of a resident block.
struct BlockChecks {
  BlockOrder order;
  std::vector<WarpOrder> warps;     // by Warp::id
  std::vector<AsyncCopies> copies;  // by thread
  SharedShadow shared;
  SkippedBarriers skips;
};

}  // namespace simt::device
