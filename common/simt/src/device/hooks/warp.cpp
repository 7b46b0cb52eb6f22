// SPDX-License-Identifier: MIT
// Warp operations: what the functions of warp.h call.
#include "simt/warp.h"

#include <utility>

#include "report/report_at.h"
#include "report/waiting_text.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "run/warp_operations.h"

namespace simt {
namespace {

using device::running;

device::Caller caller(std::uint32_t mask) {
  return {device::running_thread(), running.lane_id, mask};
}

void report_divergence(std::string message) {
  device::report_at(FindingKind::kBarrierDivergence, running.lane->pc, running.launch->site,
                    std::move(message));
}

void report_outside_mask(std::uint32_t mask) {
  const device::Untraced untraced;
  report_divergence(outside_mask_text(caller(mask)));
}

void report_missing_source(const device::Lane& lane) {
  const device::Untraced untraced;
  report_divergence(missing_source_text(caller(lane.mask), lane.source_lane));
}

}  // namespace

std::uint64_t warp_operation(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                             int source_lane) {
  if (running.launch == nullptr) return value;
  device::Warp& warp = *running.warp;
  device::Lane& lane = *running.lane;
  lane.pc = __builtin_return_address(0);
  lane.frame = __builtin_dwarf_cfa();
  if ((mask & running.lane_bit()) == 0) {
    report_outside_mask(mask);
    mask = running.lane_bit();
  }
  lane.operation = operation;
  lane.mask = mask;
  lane.value = value;
  lane.source_lane = source_lane & (kWarpSize - 1);
  warp.ready &= ~running.lane_bit();
  warp.in_operation |= running.lane_bit();
  device::complete_operation(warp, lane);
  device::run_others();
  if (std::exchange(lane.source_is_missing, false)) report_missing_source(lane);
  return lane.result;
}

int lane_id() { return running.lane_id; }

}  // namespace simt

unsigned __activemask() {
  using simt::device::running;
  if (running.launch == nullptr) return 1;
  simt::device::Lane& lane = *running.lane;
  lane.pc = __builtin_return_address(0);
  lane.frame = __builtin_dwarf_cfa();
  running.warp->ready &= ~running.lane_bit();
  running.warp->converging |= running.lane_bit();
  simt::device::run_others();
  return static_cast<unsigned>(lane.result);
}
