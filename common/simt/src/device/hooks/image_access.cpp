// SPDX-License-Identifier: MIT
#include "hooks/image_access.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "check/memory_check.h"
#include "check/order.h"
#include "check/race_shadow.h"
#include "count/trace.h"
#include "program/place.h"
#include "program/source_line.h"
#include "record/recorder.h"
#include "report/image_text.h"
#include "report/report_at.h"
#include "run/launch.h"
#include "run/poll.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/stream_order.h"
#include "run/untraced.h"
#include "simt/checks.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

// Textures and surfaces are read through caches that a kernel's own writes need not reach.
void check_own_writes(std::uintptr_t address, std::size_t size_bytes, const void* pc) {
  if (checks_made != Checks::kAll || !is_device_address(reinterpret_cast<const void*>(address))) {
    return;
  }
  const Untraced untraced;
  const std::optional<EarlierAccess> write =
      find_access(address, address + size_bytes, internal::current_work()->first_block,
                  next_ordinal(), Interest::kWrites);
  if (!write) return;
  const Stamp bytes = ((Stamp{1} << std::min<std::size_t>(size_bytes, 4)) - 1) << address % 4;
  if (!share_bytes(write->stamp, bytes << kBytesShift)) return;  // its neighbour in the word
  report_at(
      FindingKind::kRace, pc, running.launch->site,
      written_by_kernel_text(running_thread_name(), line_name(write->pc(), source_line(pc).file)));
}

}  // namespace

void announce_image_access(const std::byte* address, std::size_t size_bytes, Direction direction,
                           const void* pc) {
  if (running.is_silent) return;
  const bool writes = direction == Direction::kWrite;
  if (writes && running.holds_writes_back) hold_back(pc);
  running.changes += writes;
  running.last_access_step = running.steps;
  check_access({.address = reinterpret_cast<std::uintptr_t>(address),
                .size_bytes = size_bytes,
                .reads = !writes,
                .writes = writes,
                .is_aligned_by_type = false,
                .pc = pc});
  if (!writes) check_own_writes(reinterpret_cast<std::uintptr_t>(address), size_bytes, pc);
  if (running.trace == nullptr || is_recording()) return;
  record_access(writes ? AccessKind::kWrite : AccessKind::kRead,
                reinterpret_cast<std::uintptr_t>(address), size_bytes, {pc, __builtin_dwarf_cfa()},
                false);
}

void end_for_wrong_object(const char* what, unsigned long long object, const void* pc) {
  const Untraced untraced;
  end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
              no_object_text(running_thread_name(), what, object), pc});
}

void require_shape(const char* what, ImageShape called, const Image& image, const void* pc) {
  if (called.dimensions == image.shape.dimensions && called.is_layered == image.shape.is_layered &&
      called.is_cube == image.shape.is_cube) {
    return;
  }
  const Untraced untraced;
  end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
              wrong_shape_text(running_thread_name(), what, called, image), pc});
}

}  // namespace simt::device
