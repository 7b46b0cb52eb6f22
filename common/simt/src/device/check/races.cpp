// SPDX-License-Identifier: MIT
#include "check/races.h"

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "check/block_checks.h"
#include "check/concurrent_launch.h"
#include "check/order.h"
#include "check/way.h"
#include "program/source_line.h"
#include "report/debugger.h"
#include "report/race_text.h"
#include "report/report_at.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/part.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/untraced.h"
#include "simt/finding.h"
#include "simt/schedule.h"

namespace simt::device {
namespace {

std::map<std::pair<const void*, const void*>, int> g_races;  // how often, by the two places
std::set<std::string, std::less<>> g_kernels;                // in which races were reported

struct Parties {
  Party accused;
  std::optional<Party> other;  // nothing: of another kernel
  bool other_writes;
};

// Two writes: what was there before the second one.
struct Unsettled {
  Finding finding;
  Parties parties;
  bool same_line = false;
  const void* address = nullptr;
  std::size_t size_bytes = 0;
  char before[16] = {};
};
Unsettled g_unsettled;

// Whether races between the two places are still of interest.
bool is_new_race(const void* pc, const void* earlier) {
  constexpr int kMaxTries = 64;  // two writes may have written the same value the first time
  return ++g_races[{pc, earlier}] <= kMaxTries;
}

void report_and_remember(Finding finding, const Parties& parties) {
  name_accused(parties.accused);
  if (parties.other) name_other(*parties.other, parties.other_writes ? "writes" : "reads");
  g_kernels.insert(finding.kernel);
  report(std::move(finding));
}

}  // namespace

void report_race(const EarlierAccess& earlier, const Access& access, bool is_shared,
                 bool is_polled) {
  const Untraced untraced;
  require_whole_launch();
  if (!is_new_race(access.pc, earlier.pc())) return;
  const bool is_same_block = ordinal_of(earlier.stamp) == running.checks->order.ordinal;
  const char* const other_kernel =
      is_same_block || is_shared ? nullptr : concurrent_kernel_of(earlier.stamp);
  const SourcePlace where = place_in_kernel(access.pc, running.launch->site);
  const dim3 shape = other_kernel == nullptr ? running.launch->config.block : dim3{1024};
  Finding finding = {FindingKind::kRace, where.file, where.line, running.launch->site.kernel,
                     race_text({.thread = running_thread_name(),
                                .access = access,
                                .is_shared = is_shared,
                                .earlier_thread = thread_in_block_name(
                                    thread_index_of(thread_of(earlier.stamp), shape), shape),
                                .earlier_pc = earlier.pc(),
                                .earlier_writes = earlier.writes,
                                .is_same_block = is_same_block,
                                .is_polled = is_polled,
                                .other_kernel = other_kernel,
                                .last_barrier = running.lane->last_barrier})};
  Parties parties = {{running.block->index, running.lane->index, access.pc}, {}, earlier.writes};
  if (other_kernel == nullptr) {
    const Launch& launch = *running.launch;
    parties.other = {
        is_same_block ? running.block->index : launch.nth_block(start_number(earlier.stamp)),
        thread_index_of(thread_of(earlier.stamp), launch.config.block), earlier.pc()};
  }
  const bool both_write =
      other_kernel == nullptr && earlier.writes && access.writes && !access.is_atomic;
  if (!both_write || access.size_bytes > sizeof g_unsettled.before) {
    return report_and_remember(std::move(finding), parties);
  }
  settle_race();
  g_unsettled.finding = std::move(finding);
  g_unsettled.parties = parties;
  g_unsettled.same_line = is_same_line(access.pc, earlier.pc());
  g_unsettled.address = reinterpret_cast<const void*>(access.address);
  g_unsettled.size_bytes = access.size_bytes;
  std::memcpy(g_unsettled.before, g_unsettled.address, access.size_bytes);
  race_is_unsettled = true;
  choose_way();
}

void settle_race() {
  if (!race_is_unsettled) return;
  const Untraced untraced;
  race_is_unsettled = false;
  choose_way();
  const bool same_value =
      std::memcmp(g_unsettled.before, g_unsettled.address, g_unsettled.size_bytes) == 0;
  if (same_value && g_unsettled.same_line) return;
  if (same_value) g_unsettled.finding.message += same_value_text();
  report_and_remember(std::move(g_unsettled.finding), g_unsettled.parties);
}

bool has_races(const char* kernel) { return g_kernels.contains(std::string_view(kernel)); }

void reset_races() { g_races.clear(); }

}  // namespace simt::device

void simt::forget_races() { device::g_kernels.clear(); }
