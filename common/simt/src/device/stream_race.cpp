// SPDX-License-Identifier: MIT
#include "stream_race.h"

#include <algorithm>
#include <string>

#include "../host/stream_order.h"
#include "describe.h"
#include "memory_report.h"
#include "race_report.h"
#include "race_shadow.h"
#include "running.h"
#include "simt/call_stack.h"
#include "simt/finding.h"
#include "source_line.h"

namespace simt::device {
namespace {

using internal::concurrent_work;
using internal::Work;

constexpr std::size_t kMaxRanges = 4096;  // of one copy of many rows; it may go on unrecorded

bool overlap(const Work::Range& a, std::uintptr_t begin, std::uintptr_t end) {
  return a.begin < end && begin < a.end;
}

std::string name_copy(const Work& copy, const char* verb) {
  const std::string line = program_line_name(copy.issued_by);
  return "the copy or fill" + (line.empty() ? "" : " in " + line) + " " + verb;
}

void report_copy(const Work& copy, bool is_written, const std::string& rest, const char* kernel) {
  const SourcePlace place = program_place(copy.issued_by);
  report({"race", place.file, place.line, kernel,
          name_copy(copy, is_written ? "writes" : "reads") + " global memory that " + rest +
              kStreamRemedy});
}

// A copy against a kernel that may still run.
void check_kernel(const Work& copy, const Work::Range& range, const Work& kernel) {
  const auto found = find_access(range.begin, range.end, kernel.first_block, kernel.end_block,
                                 range.is_written ? Interest::kAll : Interest::kWrites);
  if (!found) return;
  report_copy(copy, range.is_written,
              std::string(kernel.kernel) + ", which may still run on another stream, " +
                  (found->writes ? "writes" : "reads") + " in " +
                  line_name(pc_of(*found), program_place(copy.issued_by).file),
              kernel.kernel);
}

// A copy against another one.
void check_ranges(const Work& copy, const Work::Range& range, const Work& other) {
  for (const Work::Range& theirs : other.ranges) {
    if (!overlap(theirs, range.begin, range.end)) continue;
    if (!theirs.is_written && !range.is_written) continue;
    return report_copy(copy, range.is_written,
                       name_copy(other, theirs.is_written ? "may still write" : "may still read") +
                           " on another stream",
                       "");
  }
}

}  // namespace

bool copies_may_run = false;

void look_for_concurrent_copies() {
  const auto& works = concurrent_work();
  copies_may_run = std::any_of(works.begin(), works.end(),
                               [](const Work* work) { return !work->ranges.empty(); });
}

const char* concurrent_kernel_of(Stamp stamp) {
  const std::uint32_t block = ordinal_of(stamp);
  for (const Work* const work : concurrent_work()) {
    if (block >= work->first_block && block < work->end_block) return work->kernel;
  }
  return nullptr;
}

std::uint32_t first_concurrent_block(std::uint32_t otherwise) {
  std::uint32_t first = otherwise;
  for (const Work* const work : concurrent_work()) {
    if (work->first_block < work->end_block) first = std::min(first, work->first_block);
  }
  return first;
}

void check_concurrent_copies(const Access& access) {
  for (const Work* const work : concurrent_work()) {
    for (const Work::Range& range : work->ranges) {
      if (!overlap(range, access.address, access.address + access.size_bytes)) continue;
      if (!range.is_written && !access.writes) continue;
      return report_copy_race(
          access, name_copy(*work, range.is_written ? "may still write" : "may still read"));
    }
  }
}

void note_copied(std::uintptr_t address, std::size_t size_bytes, bool is_written) {
  Work* const copy = internal::current_work();
  if (copy == nullptr || copy->ranges.size() == kMaxRanges) return;
  if (copy->ranges.empty()) copy->issued_by = capture_call_stack();
  const Work::Range range = {address, address + size_bytes, is_written};
  copy->ranges.push_back(range);
  for (const Work* const work : concurrent_work()) {
    if (work->first_block < work->end_block) check_kernel(*copy, range, *work);
    check_ranges(*copy, range, *work);
  }
}

}  // namespace simt::device
