// SPDX-License-Identifier: MIT
#include "hooks/image_access.h"

#include <cstdint>

#include "check/memory_check.h"
#include "report/image_text.h"
#include "run/poll.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"

namespace simt::device {

void announce_image_access(const std::byte* address, std::size_t size_bytes, Direction direction,
                           const void* pc) {
  const bool writes = direction == Direction::kWrite;
  if (writes && running.holds_writes_back) hold_back(pc);
  ++(writes ? running.changes : running.reads);
  running.last_access_step = running.steps;
  check_access({.address = reinterpret_cast<std::uintptr_t>(address),
                .size_bytes = size_bytes,
                .reads = !writes,
                .writes = writes,
                .is_aligned_by_type = false,
                .pc = pc});
}

void end_for_wrong_object(const char* what, unsigned long long object, const void* pc) {
  const Untraced untraced;
  end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
              no_object_text(running_thread_name(), what, object), pc});
}

void require_shape(const char* what, ImageShape called, const Image& image, const void* pc) {
  if (called.dimensions == image.shape.dimensions && called.is_layered == image.shape.is_layered) {
    return;
  }
  const Untraced untraced;
  end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
              wrong_shape_text(running_thread_name(), what, called, image), pc});
}

}  // namespace simt::device
