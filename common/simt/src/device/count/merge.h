// SPDX-License-Identifier: MIT
// Makes warp instructions of what the lanes of a warp have recorded.
//
// A device runs the lanes of a warp together until a branch parts them, runs the parts one after
// another, and joins them where the paths meet again. The merge does the same with basic blocks. It
// selects the lanes that are deepest in calls, and among these the lanes at the smallest address;
// lanes at the same basic block execute it together. Compiled without reordering of blocks, code
// lies in such an order that lanes that run ahead wait there. Lanes that wait in a
// warp operation go on together.
#pragma once

namespace simt::device {

struct Warp;

// Takes the warp's traces as far as they are known, counts what is in them (see tally.h), and makes
// paused lanes ready that have room again. Call when no lane of the warp is ready.
void merge_traces(Warp& warp);

}  // namespace simt::device
