// SPDX-License-Identifier: MIT
#include "check/launch_checks.h"

#include "check/concurrent_launch.h"
#include "check/copy_race.h"
#include "check/host_race.h"
#include "check/memory_check.h"
#include "check/memory_findings.h"
#include "check/order.h"
#include "check/race_shadow.h"
#include "check/races.h"
#include "check/way.h"
#include "run/stream_order.h"

namespace simt::device {
namespace {

constexpr int kBlocksLookedAt = 8;  // for the variables that they use

std::set<const SharedVariable*> g_written;
int g_num_looked_at = 0;

}  // namespace

void begin_checks(const Launch& launch) {
  if (are_ordinals_scarce()) {  // start again, with nothing remembered
    forget_accesses();
    restart_ordinals();
    internal::host_waits_for_all();
  }
  internal::Work& work = internal::begin_work(launch.config.stream);
  work.kernel = launch.site.kernel;
  work.first_block = work.end_block = next_ordinal();
  reserve_history();
  look_for_concurrent_copies();
  const std::uint32_t first_concurrent = first_concurrent_block(next_ordinal());
  order_launch(first_concurrent);
  is_alone = first_concurrent == next_ordinal() && !copies_may_run && checks_made == Checks::kAll &&
             !launch.is_traced;
  choose_way();
  reset_memory_findings();
  reset_races();
  reset_host_races();
  g_written.clear();
  g_num_looked_at = 0;
}

void end_checks() {
  settle_race();
  internal::current_work()->end_block = next_ordinal();
  internal::end_work();
  copies_may_run = false;
}

Slot<BlockChecks> make_checks(const Block& block) {
  auto* const checks = new BlockChecks;
  checks->warps.resize(block.warps.size());
  checks->copies.resize(block.warps.size() * kWarpSize);
  return {checks, [](BlockChecks* own) { delete own; }};
}

void begin_block_checks(BlockChecks& checks) {
  order_block_start(checks);
  checks.skips.leavers.clear();
  checks.skips.watched.clear();
  for (AsyncCopies& copies : checks.copies) copies.clear();
}

void end_block_checks(const BlockChecks& checks) {
  if (g_num_looked_at == kBlocksLookedAt) return;
  ++g_num_looked_at;
  add_written_variables(checks.shared.static_region, g_written);
}

const std::set<const SharedVariable*>& written_shared_variables() { return g_written; }

}  // namespace simt::device
