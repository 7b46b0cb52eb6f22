// SPDX-License-Identifier: MIT
#include "check/warp_masks.h"

#include <bit>

#include "report/report_at.h"
#include "report/waiting_text.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

Caller caller_in(const Lane& lane, int lane_id) {
  ThreadId thread = running_thread();
  thread.thread = lane.index;
  return {thread, lane_id, lane.mask};
}

}  // namespace

void check_absent_lanes(const Warp& warp, std::uint32_t group) {
  const int caller = std::countr_zero(group);
  const Lane& lane = warp.lanes[caller];
  for (std::uint32_t absent = lane.mask & ~warp.live; absent != 0; absent &= absent - 1) {
    const int other = std::countr_zero(absent);
    const Lane& gone = warp.lanes[other];
    if (gone.pc != lane.pc || gone.mask == 0 || gone.mask == lane.mask) continue;
    const Untraced untraced;
    return report_at(FindingKind::kBarrierDivergence, lane.pc, running.launch->site,
                     different_masks_text(caller_in(lane, caller), other, gone.mask));
  }
}

}  // namespace simt::device
