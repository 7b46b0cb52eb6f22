// SPDX-License-Identifier: MIT
#include "race_report.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "address.h"
#include "describe.h"
#include "grid.h"
#include "memory_report.h"
#include "running.h"
#include "simt/finding.h"
#include "source_line.h"
#include "stream_race.h"

namespace simt::device {
namespace {

// Two writes: what was there before the second one.
struct Unsettled {
  Finding finding;
  bool same_line = false;
  const void* address = nullptr;
  std::size_t size_bytes = 0;
  char before[16] = {};
};
Unsettled g_unsettled;

std::string remedy(bool is_shared, bool same_block) {
  if (is_shared || same_block) {
    return "; no __syncthreads() (or, within a warp, __syncwarp()) stands between them";
  }
  return "; blocks run in any order: use an atomic, or a fence and a flag, or a second launch";
}

std::string message(const EarlierAccess& earlier, const Access& access, bool is_shared) {
  const bool same_block = ordinal_of(earlier.stamp) == running.block->order.ordinal;
  const char* const other_kernel =
      same_block || is_shared ? nullptr : concurrent_kernel_of(earlier.stamp);
  const std::string& file = source_line(access.pc).file;
  std::string other = "thread " + std::to_string(thread_of(earlier.stamp));
  if (other_kernel != nullptr) {
    other += " of " + std::string(other_kernel) + ", which may still run on another stream,";
  } else {
    other += same_block ? " of the same block" : " of another block";
  }
  return running_thread_name() + (access.writes ? " writes " : " reads ") +
         (is_shared ? "shared memory in " : "global memory in ") + line_name(access.pc, file) +
         " that " + other + (earlier.writes ? " writes in " : " reads in ") +
         line_name(pc_of(earlier), file) +
         (other_kernel != nullptr ? kStreamRemedy : remedy(is_shared, same_block));
}

}  // namespace

const void* pc_of(const EarlierAccess& access) { return unpack_pc(access.code_offset); }

void report_copy_race(const Access& access, const std::string& what) {
  const Untraced untraced;
  const SourceLine& where = source_line(access.pc);
  report({"race", where.file, where.line, running.grid->site().kernel,
          running_thread_name() + (access.writes ? " writes" : " reads") + " global memory in " +
              line_name(access.pc, where.file) + " that " + what + " on another stream" +
              kStreamRemedy});
}

bool race_is_unsettled = false;

void report_race(const EarlierAccess& earlier, const Access& access, bool is_shared) {
  const Untraced untraced;
  if (!is_new_race_at(access, pc_of(earlier))) return;
  const SourceLine& where = source_line(access.pc);
  Finding finding = {"race", where.file, where.line, running.grid->site().kernel,
                     message(earlier, access, is_shared)};
  const bool is_in_launch = is_shared || concurrent_kernel_of(earlier.stamp) == nullptr;
  const bool both_write = is_in_launch && earlier.writes && access.writes && !access.is_atomic;
  if (!both_write || access.size_bytes > sizeof g_unsettled.before) {
    return report(std::move(finding));
  }
  settle_race();
  g_unsettled.finding = std::move(finding);
  g_unsettled.same_line = is_same_line(access.pc, pc_of(earlier));
  g_unsettled.address = reinterpret_cast<const void*>(access.address);
  g_unsettled.size_bytes = access.size_bytes;
  std::memcpy(g_unsettled.before, g_unsettled.address, access.size_bytes);
  race_is_unsettled = true;
}

void settle_race() {
  if (!race_is_unsettled) return;
  const Untraced untraced;
  race_is_unsettled = false;
  const bool same_value =
      std::memcmp(g_unsettled.before, g_unsettled.address, g_unsettled.size_bytes) == 0;
  if (same_value && g_unsettled.same_line) return;
  if (same_value) {
    g_unsettled.finding.message +=
        "; both store the same value here, which does no harm as long as they do";
  }
  report(std::move(g_unsettled.finding));
}

}  // namespace simt::device
