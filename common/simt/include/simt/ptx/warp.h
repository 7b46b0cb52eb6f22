// SPDX-License-Identifier: MIT
// What the exchanges of a warp in inline PTX become.
#pragma once

#include "simt/ptx/register.h"
#include "simt/warp.h"

namespace simt::ptx {

// shfl: `limits` holds the segment's mask and the last lane that may be read, as PTX has them.
enum class Shuffle { up, down, bfly, idx };
SIMT_INLINE unsigned shuffle(Shuffle mode, unsigned value, unsigned operand, unsigned limits,
                             unsigned mask, bool* is_inside) {
  const int lane = lane_id();
  const int segment = static_cast<int>((limits >> 8) & 31), clamp = static_cast<int>(limits & 31);
  const int first = lane & segment, last = first | (clamp & ~segment);
  const int b = static_cast<int>(operand & 31);
  const int source = mode == Shuffle::up     ? lane - b
                     : mode == Shuffle::down ? lane + b
                     : mode == Shuffle::bfly ? lane ^ b
                                             : first | (b & ~segment);
  *is_inside = mode == Shuffle::up ? source >= last : source <= last;
  return simt::shuffle(mask, value, *is_inside ? source : lane);
}

}  // namespace simt::ptx
