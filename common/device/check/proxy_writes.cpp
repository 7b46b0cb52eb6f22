// SPDX-License-Identifier: MIT
#include "check/proxy_writes.h"

#include <algorithm>

#include "check/lanes.h"
#include "report/race_text.h"

namespace check {

void ProxyWrites::begin(std::uint32_t size_bytes, std::uint32_t num_threads) {
  writes_.assign((size_bytes + kPieceBytes - 1) / kPieceBytes, {});
  fences_.assign(num_threads, 0);
  clock_ = met_ = fenced_ = 0;
}

void ProxyWrites::fence(const run::Warp& warp, std::uint32_t lanes) {
  ++clock_;
  for_each_lane(
      lanes, [&](std::uint32_t lane) { fences_[warp.thread_id(static_cast<int>(lane))] = clock_; });
  fenced_ = std::max(fenced_, met_);
}

void ProxyWrites::look(const run::Warp& warp, const run::Access& access, Findings& findings) {
  if (access.is_async_proxy != access.reads) return;  // reads matter there, writes elsewhere
  for_each_lane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t begin = access.address[lane] / kPieceBytes;
    const std::uint64_t end =
        (access.address[lane] + access.size_bytes + kPieceBytes - 1) / kPieceBytes;
    for (std::uint64_t i = begin; i < end && i < writes_.size(); ++i) {
      Write& write = writes_[i];
      if (!access.is_async_proxy) {
        const std::uint32_t thread = warp.thread_id(static_cast<int>(lane));
        write = {access.instruction, thread, clock_};
        continue;
      }
      if (is_visible(write) || !findings.is_new(*access.instruction, Mistake::kUnfenced)) continue;
      const run::Launch& launch = *warp.block->launch;
      const report::Place place = place_of(launch, *access.instruction);
      report_at(
          report::Kind::kRace, launch, *access.instruction,
          report::unfenced_text(thread_name(*warp.block, warp.thread_id(static_cast<int>(lane))),
                                place, write.thread, place_of(launch, *write.by)));
    }
  });
}

}  // namespace check
