// SPDX-License-Identifier: MIT
#include "check/bulk_stores.h"

#include <iterator>

#include "check/lanes.h"
#include "report/race_text.h"

namespace check {

void BulkStores::end_block(const run::Block& block) {
  std::erase_if(stores_, [&](const auto& store) { return store.second.block == &block; });
}

void BulkStores::look(const run::Warp& warp, const run::Access& access, Findings& findings) {
  const bool is_store = access.is_async_proxy && access.writes;
  if (stores_.empty() && !is_store) return;
  for_each_lane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t begin = access.address[lane];
    const std::uint32_t thread = warp.thread_id(static_cast<int>(lane));
    const Store own = {begin + access.size_bytes, warp.block, thread, warp.bulk_groups[lane],
                       access.instruction};
    const auto next = stores_.lower_bound(own.end);
    const auto last = next == stores_.begin() ? stores_.end() : std::prev(next);
    if (last != stores_.end() && last->second.end > begin) {
      const Store store = last->second;
      stores_.erase(last);  // one finding is enough
      if (!findings.is_new(*access.instruction, Mistake::kStillWritten)) return;
      const run::Launch& launch = *warp.block->launch;
      report_at(report::Kind::kRace, launch, *access.instruction,
                report::bulk_copy_writes_text(thread_name(*warp.block, thread),
                                              place_of(launch, *access.instruction), access.writes,
                                              thread_name(*store.block, store.thread),
                                              place_of(launch, *store.by)));
    } else if (is_store && last != stores_.end() && last->second.end == begin &&
               last->second.is_of_one_copy(own)) {
      last->second.end = own.end;
    } else if (is_store) {
      stores_.emplace(begin, own);
    }
  });
}

void BulkStores::complete(const run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) {
  std::erase_if(stores_, [&](const auto& entry) {
    const Store& store = entry.second;
    const std::uint32_t lane = store.thread % run::kWarpSize;
    return store.block == warp.block && store.thread / run::kWarpSize == warp.id &&
           (lanes >> lane & 1) != 0 && store.group + num_left < warp.bulk_groups[lane];
  });
}

}  // namespace check
