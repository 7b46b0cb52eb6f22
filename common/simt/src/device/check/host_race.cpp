// SPDX-License-Identifier: MIT
#include "check/host_race.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check/race_shadow.h"
#include "report/race_text.h"
#include "report/report_at.h"
#include "run/device_lock.h"
#include "run/stream_order.h"
#include "run/untraced.h"
#include "simt/finding.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

using internal::Work;

// What has been reported: by the place in the code, and the work.
std::set<std::tuple<const void*, const Work*, std::uint64_t>> g_known_races;

bool is_new_race(const Access& access, const Work& work) {
  return g_known_races.emplace(access.pc, &work, work.number).second;
}

// What a kernel did to the bytes of the host's access, if the two are a race.
std::optional<EarlierAccess> find_conflict(const Access& access, const Work& kernel) {
  const auto found =
      find_access(access.address, access.address + access.size_bytes, kernel.first_block,
                  kernel.end_block, access.writes ? Interest::kAll : Interest::kWrites);
  // The host may set a flag that a kernel polls, by a plain store, too.
  const bool is_flag = found && (found->stamp & (kVolatileBit | kAtomicBit)) != 0;
  return is_flag && access.writes ? std::nullopt : found;
}

const Work::Range* find_conflict(const Access& access, const std::vector<Work::Range>& ranges) {
  for (const Work::Range& range : ranges) {
    const bool overlap =
        range.begin < access.address + access.size_bytes && access.address < range.end;
    if (overlap && (range.is_written || access.writes)) return &range;
  }
  return nullptr;
}

void report_host_race(const Access& access, const char* kernel, std::string message) {
  const SourcePlace where = place_in_host_code(access.pc);
  report({FindingKind::kRace, where.file, where.line, kernel, std::move(message)});
}

}  // namespace

void check_host_race(const Access& access) {
  if (access.is_volatile) {
    if (access.reads) internal::host_reads_flag();
    return;
  }
  for (const Work* const work : internal::work_beside_host()) {
    if (const auto conflict = find_conflict(access, *work)) {
      if (!is_new_race(access, *work)) return;
      return report_host_race(
          access, work->kernel,
          host_meets_kernel_text(access, work->kernel, conflict->pc(), conflict->writes));
    }
    if (const Work::Range* const range = find_conflict(access, work->ranges)) {
      if (!is_new_race(access, *work)) return;
      return report_host_race(
          access, "",
          host_meets_copy_text(access, {work->kind, work->issued_by, range->is_written}));
    }
  }
}

void note_flag_read(const void* address) {
  if (!is_device_address(address)) return;
  const internal::DeviceLock lock;
  const Untraced untraced;
  internal::host_reads_flag();
}

void reset_host_races() { g_known_races.clear(); }

}  // namespace simt::device
