// SPDX-License-Identifier: MIT
// Barriers of a part of a block.
#include "run/named_barrier.h"

#include <string>

#include "check/order.h"
#include "program/place.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/limits.h"

namespace simt::device {
namespace {

[[noreturn]] void end_at_barrier(const void* pc, FindingKind kind, const std::string& what) {
  end_kernel({cudaErrorLaunchFailure, kind, running_thread_name() + " comes to " + what, pc});
}

void check_barrier(int number, int num_threads, const void* pc) {
  if (!BarrierTable::has(number)) {
    const Untraced untraced;
    end_at_barrier(pc, FindingKind::kLaunchError,
                   "barrier " + std::to_string(number) + "; PTX has barriers 0 to " +
                       std::to_string(kNumPtxBarriers - 1));
  }
  if (num_threads < 0 || num_threads % kWarpSize != 0) {
    const Untraced untraced;
    end_at_barrier(pc, FindingKind::kLaunchError,
                   "barrier " + std::to_string(number) + " for " + std::to_string(num_threads) +
                       " threads; the number must be a multiple of " + std::to_string(kWarpSize) +
                       ", because the device counts whole warps");
  }
}

void come_to_barrier(int number, int num_threads, bool waits, Place place) {
  if (running.launch == nullptr) return;  // on the host a thread is alone
  check_barrier(number, num_threads, place.pc);
  running.lane->pc = place.pc;
  running.lane->frame = place.frame;
  order_release(false);
  if (!arrive_at_named_barrier(number, num_threads, waits)) {
    const Untraced untraced;
    const NamedBarrier& barrier = running.block->named_barriers[number];
    const auto count = [](int threads) {
      return threads == 0 ? std::string("all") : std::to_string(threads);
    };
    end_at_barrier(place.pc, FindingKind::kBarrierDivergence,
                   "barrier " + std::to_string(number) + " for " + count(num_threads) +
                       " threads, and others came there for " + count(barrier.expected) +
                       "; all must give the same number");
  }
  if (!waits) return;
  run_others();
  order_acquire();
}

}  // namespace
}  // namespace simt::device

void simt::sync_named_barrier(int number, int num_threads) {
  device::come_to_barrier(number, num_threads, true, SIMT_PLACE);
}

void simt::arrive_at_named_barrier(int number, int num_threads) {
  device::come_to_barrier(number, num_threads, false, SIMT_PLACE);
}

void simt::put_exchanged(unsigned warp, Exchanged value) {
  auto& all = device::running.block->exchanged;
  if (warp < all.size()) all[warp] = value;
}

simt::Exchanged simt::get_exchanged(unsigned warp) {
  const auto& all = device::running.block->exchanged;
  return warp < all.size() ? all[warp] : Exchanged{};
}
