// SPDX-License-Identifier: MIT
#include "check/copy_race.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "report/race_text.h"

namespace check {
namespace {

constexpr std::size_t kMaxRanges = 4096;  // of one copy of many rows; it may go on unrecorded

bool overlap(const Work::Range& a, std::uint64_t begin, std::uint64_t end) {
  return a.begin < end && begin < a.end;
}

report::StreamCopy text_of(const Work& work, const Work::Range& range) {
  return {work.kind, place_of(work.issued_at), range.is_written};
}

// `other`: the place of what it meets. The caller's work has no line of its own.
void report_copy(const Work& copy, const report::Place& other, const std::string& kernel,
                 std::string message) {
  report::Place place = copy.kind == report::CopyKind::kCallers ? other : place_of(copy.issued_at);
  report::report(
      {report::Kind::kRace, std::move(place.file), place.line, kernel, std::move(message)});
}

std::string does(const run::Access& access) {
  return std::string(access.writes ? "writes" : "reads") +
         (access.space == run::Space::kConst ? " constant memory" : " global memory");
}

const Work::Range* find_conflict(const HostTouch& touch, const std::vector<Work::Range>& ranges) {
  for (const Work::Range& range : ranges) {
    if (!overlap(range, touch.address, touch.address + touch.size_bytes)) continue;
    if (range.is_written || touch.writes) return &range;
  }
  return nullptr;
}

}  // namespace

void CopyRaces::check(const run::Warp& warp, const run::Access& access) const {
  if (streams_.concurrent_work().empty()) return;
  // A program may have hundreds of copies under way: the lanes are looked at where one is near.
  std::uint64_t first = UINT64_MAX, last = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    first = std::min(first, address);
    last = std::max(last, address);
  }
  for (const Work* const work : streams_.concurrent_work()) {
    if (work->is_launch()) continue;
    for (const Work::Range& range : work->ranges) {
      if (!overlap(range, first, last + access.size_bytes)) continue;
      if (!range.is_written && !access.writes) continue;
      for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
        if (!overlap(range, address, address + access.size_bytes)) continue;
        const run::Launch& launch = *warp.block->launch;
        return report_at(
            report::Kind::kRace, launch, *access.instruction,
            report::copy_race_text(thread_name(*warp.block, warp.thread_id(lane)),
                                   place_of(launch, launch.running, *access.instruction),
                                   does(access), text_of(*work, range)));
      }
    }
  }
}

void CopyRaces::note_constants_read(const run::Warp& warp, const run::Access& access) {
  Work* const kernel = streams_.current_work();
  if (kernel == nullptr) return;
  const bool is_uniform = access.pattern == run::Pattern::kUniform;
  for (std::uint32_t rest = access.lanes; rest != 0; rest = is_uniform ? 0 : rest & (rest - 1)) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    const auto holds = [&](const Work::Range& range) {
      return overlap(range, address, address + 1);
    };
    if (std::ranges::any_of(kernel->ranges, holds)) continue;
    const memory::Allocation* const variable = memory::find(address);
    if (variable == nullptr || kernel->ranges.size() == kMaxRanges) return;
    const run::Launch& launch = *warp.block->launch;
    kernel->ranges.push_back({variable->base, variable->base + variable->size_bytes, false,
                              place_of(launch, launch.running, *access.instruction)});
  }
}

report::Place CopyRaces::place_in(const Work& kernel, std::uint32_t id) {
  if (kernel.program == nullptr) return {};
  return run::place_in(*kernel.program, instructions_.find(*kernel.program, id));
}

// A copy against a kernel that may still run.
void CopyRaces::check_kernel(const Work& copy, const Work::Range& range, const Work& kernel) {
  const auto found = device_.find(range.begin, range.end, kernel.first_block, kernel.end_block,
                                  range.is_written ? Interest::kAll : Interest::kWrites);
  if (!found) return;
  const report::Place place = place_in(kernel, found->id);
  report_copy(
      copy, place, kernel.kernel,
      report::copy_meets_kernel_text(text_of(copy, range), kernel.kernel, place, found->writes));
}

// A copy against another one, or against a kernel's constants.
void CopyRaces::check_ranges(const Work& copy, const Work::Range& range, const Work& other) {
  for (const Work::Range& theirs : other.ranges) {
    if (!overlap(theirs, range.begin, range.end)) continue;
    if (!theirs.is_written && !range.is_written) continue;
    if (other.is_launch()) {
      return report_copy(copy, theirs.read_at, other.kernel,
                         report::copy_meets_kernel_text(text_of(copy, range), other.kernel,
                                                        theirs.read_at, false));
    }
    return report_copy(copy, place_of(other.issued_at), "",
                       report::copy_meets_copy_text(text_of(copy, range), text_of(other, theirs)));
  }
}

void CopyRaces::note_copied(std::uint64_t address, std::uint64_t size_bytes, bool is_written) {
  Work* const copy = streams_.current_work();
  if (copy == nullptr || copy->ranges.size() == kMaxRanges) return;
  const Work::Range range = {address, address + size_bytes, is_written};
  copy->ranges.push_back(range);
  const auto& works = streams_.concurrent_work();
  // The latest first: one is reported, and it says more than what came before it.
  for (auto work = works.rbegin(); work != works.rend(); ++work) {
    if ((*work)->is_kernel()) check_kernel(*copy, range, **work);
    check_ranges(*copy, range, **work);
  }
}

void CopyRaces::note_allocated(const memory::Allocation& allocation) {
  const Work* const work = streams_.current_work();
  if (work != nullptr && work->kind == report::CopyKind::kAllocation) {
    note_copied(allocation.base, allocation.size_bytes, true);
  }
}

void CopyRaces::note_freed(const memory::Allocation& allocation) {
  Work* const work = streams_.current_work();
  if (work == nullptr || work->kind != report::CopyKind::kFree) return;
  note_copied(allocation.base, allocation.size_bytes, true);
  work->ranges.clear();  // a later use is one of freed memory
}

void CopyRaces::check_host(const HostTouch& touch) {
  if (touch.is_volatile) {
    if (!touch.writes) streams_.host_reads_flag();
    return;
  }
  const auto is_new = [&](const Work& work) {
    return known_.emplace(touch.at.file, touch.at.line, &work, work.number).second;
  };
  const auto report_here = [&](const std::string& kernel, std::string message) {
    report::report({report::Kind::kRace, touch.at.file, touch.at.line, kernel, std::move(message)});
  };
  for (const Work* const work : streams_.work_beside_host()) {
    if (work->is_kernel()) {
      const auto found =
          device_.find(touch.address, touch.address + touch.size_bytes, work->first_block,
                       work->end_block, touch.writes ? Interest::kAll : Interest::kWrites);
      // The host may set a flag that a kernel polls, by a plain store, too.
      const bool is_flag = found && touch.writes && (found->stamp & kKindBits) != 0;
      if (found && !is_flag) {
        if (!is_new(*work)) return;
        return report_here(work->kernel, report::host_meets_kernel_text(
                                             touch.writes, touch.at, work->kernel,
                                             place_in(*work, found->id), found->writes));
      }
    }
    if (const Work::Range* const range = find_conflict(touch, work->ranges)) {
      if (!is_new(*work)) return;
      return report_here("", report::host_meets_copy_text(touch.writes, text_of(*work, *range)));
    }
  }
}

}  // namespace check
