// SPDX-License-Identifier: MIT
#include "run/device_heap.h"

#include <string>

#include "run/part.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

std::size_t g_used_bytes = 0;

[[noreturn]] void end_bad_free(const void* pointer, const void* pc) {
  const Allocation* const found = find_allocation(pointer);
  std::string why = ", which neither malloc nor new in a kernel returned";
  if (found != nullptr && found->base == pointer && !found->live) {
    const std::string line = program_line_name(found->freed_by);
    why = ", which has been freed already" + (line.empty() ? "" : " in " + line);
  }
  end_kernel({cudaErrorLaunchFailure, FindingKind::kCrash,
              running_thread_name() + " frees a pointer" + why, pc});
}

}  // namespace

void* allocate_on_device(std::size_t size_bytes) {
  require_whole_launch();
  const Untraced untraced;
  const std::size_t limit = device_heap_bytes();
  if (size_bytes == 0 || size_bytes > limit || g_used_bytes > limit - size_bytes) return nullptr;
  void* const p = allocate(size_bytes, Allocation::Kind::kDeviceHeap);
  if (p != nullptr) g_used_bytes += size_bytes;
  return p;
}

void free_on_device(void* pointer, const void* pc) {
  require_whole_launch();
  const Untraced untraced;
  const Allocation* const found = find_allocation(pointer);
  const std::size_t size_bytes = found != nullptr ? found->size_bytes : 0;
  if (release(pointer, Allocation::Kind::kDeviceHeap)) {
    g_used_bytes -= size_bytes;
  } else if (running.launch != nullptr) {
    end_bad_free(pointer, pc);
  }
}

void open_device_heap() {
  if (used_bytes() == 0) g_used_bytes = 0;  // after cudaDeviceReset
}

void release_device_heap() {
  for (const Allocation* const allocation : live_allocations()) {
    if (allocation->kind == Allocation::Kind::kDeviceHeap) {
      release(allocation->base, Allocation::Kind::kDeviceHeap);
    }
  }
  g_used_bytes = 0;
}

}  // namespace simt::device
