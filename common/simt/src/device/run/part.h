// SPDX-License-Identifier: MIT
// A part of a launch: some of its blocks, in a process of their own (see hooks/divided_launch.h).
// It counts only if those blocks have nothing to do with the others.
#pragma once

namespace simt::device {

// Whether this process runs a part.
extern bool is_part;

// Ends this process: all blocks have to run in one.
[[noreturn]] void give_up_part();

// A thread does what other blocks may see before the launch ends, what depends on the blocks before
// it, or what has to be said in the blocks' order.
inline void require_whole_launch() {
  if (is_part) give_up_part();
}

}  // namespace simt::device
