// SPDX-License-Identifier: MIT
#include "run/machine_call.h"

namespace run {
namespace {

// The word of a warp, in memory that is neither checked nor counted. The numbers are the toolkit's;
// a kernel that calls it by itself stays in its block.
std::uint32_t& word_of(Warp& warp, const MachineCall& call, int lane) {
  RunningBlock& block = block_of(warp);
  Warp& owner = *block.warps[argument<std::uint32_t>(warp, call, 0, lane) % block.warps.size()];
  return owner.exchanged[argument<std::uint32_t>(warp, call, 1, lane) % owner.exchanged.size()];
}

}  // namespace

const code::Op* tile_put(Warp& warp, const code::Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int lane) {
    word_of(warp, call, lane) = argument<std::uint32_t>(warp, call, 2, lane);
  });
  return op + 1;
}

const code::Op* tile_get(Warp& warp, const code::Op* op, std::uint32_t lanes) {
  const MachineCall& call = call_of(op);
  for_each_lane(lanes, [&](int lane) { give(warp, call, lane, word_of(warp, call, lane)); });
  return op + 1;
}

}  // namespace run
