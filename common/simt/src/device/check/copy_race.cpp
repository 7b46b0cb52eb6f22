// SPDX-License-Identifier: MIT
#include "check/copy_race.h"

#include <algorithm>
#include <string>
#include <utility>

#include "check/race_shadow.h"
#include "report/race_text.h"
#include "report/report_at.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/stream_order.h"
#include "run/untraced.h"
#include "simt/call_stack.h"

namespace simt::device {
namespace {

using internal::concurrent_work;
using internal::Work;

constexpr std::size_t kMaxRanges = 4096;  // of one copy of many rows; it may go on unrecorded

bool overlap(const Work::Range& a, std::uintptr_t begin, std::uintptr_t end) {
  return a.begin < end && begin < a.end;
}

StreamCopy text_of(const Work& work, const Work::Range& range) {
  return {work.kind, work.issued_by, range.is_written};
}

void report_copy(const Work& copy, const char* kernel, std::string message) {
  const SourcePlace place = program_place(copy.issued_by);
  report({FindingKind::kRace, place.file, place.line, kernel, std::move(message)});
}

// A copy against a kernel that may still run.
void check_kernel(const Work& copy, const Work::Range& range, const Work& kernel) {
  const auto found = find_access(range.begin, range.end, kernel.first_block, kernel.end_block,
                                 range.is_written ? Interest::kAll : Interest::kWrites);
  if (!found) return;
  report_copy(
      copy, kernel.kernel,
      copy_meets_kernel_text(text_of(copy, range), kernel.kernel, found->pc(), found->writes));
}

// A copy against another one.
void check_ranges(const Work& copy, const Work::Range& range, const Work& other) {
  for (const Work::Range& theirs : other.ranges) {
    if (!overlap(theirs, range.begin, range.end)) continue;
    if (!theirs.is_written && !range.is_written) continue;
    return report_copy(copy, "",
                       copy_meets_copy_text(text_of(copy, range), text_of(other, theirs)));
  }
}

}  // namespace

bool copies_may_run = false;

void look_for_concurrent_copies() {
  const auto& works = concurrent_work();
  copies_may_run = std::any_of(works.begin(), works.end(),
                               [](const Work* work) { return !work->ranges.empty(); });
}

void check_concurrent_copies(const Access& access) {
  for (const Work* const work : concurrent_work()) {
    for (const Work::Range& range : work->ranges) {
      if (!overlap(range, access.address, access.address + access.size_bytes)) continue;
      if (!range.is_written && !access.writes) continue;
      const Untraced untraced;
      return report_at(FindingKind::kRace, access.pc, running.launch->site,
                       copy_race_text(running_thread_name(), access, text_of(*work, range)));
    }
  }
}

void note_allocated(std::uintptr_t address, std::size_t size_bytes) {
  const Work* const work = internal::current_work();
  if (work != nullptr && work->kind == CopyKind::kAllocation) {
    note_copied(address, size_bytes, true);
  }
}

void note_freed(std::uintptr_t address, std::size_t size_bytes) {
  Work* const work = internal::current_work();
  if (work == nullptr || work->kind != CopyKind::kFree) return;
  note_copied(address, size_bytes, true);
  work->ranges.clear();  // a later use is one of freed memory
}

void note_copied(std::uintptr_t address, std::size_t size_bytes, bool is_written) {
  Work* const copy = internal::current_work();
  if (copy == nullptr || copy->ranges.size() == kMaxRanges) return;
  if (copy->ranges.empty()) copy->issued_by = capture_call_stack();
  const Work::Range range = {address, address + size_bytes, is_written};
  copy->ranges.push_back(range);
  const auto& works = concurrent_work();
  // The latest first: one is reported, and it says more than what came before it.
  for (auto work = works.rbegin(); work != works.rend(); ++work) {
    if ((*work)->first_block < (*work)->end_block) check_kernel(*copy, range, **work);
    check_ranges(*copy, range, **work);
  }
}

}  // namespace simt::device
