// SPDX-License-Identifier: MIT
// Replaces the C library's malloc and free, which they still are outside of kernels; the C++
// library's new and delete are made of these two.
#include "device_heap.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "address.h"
#include "describe.h"
#include "fault.h"
#include "running.h"
#include "simt/call_stack.h"
#include "simt/memory.h"
#include "source_line.h"

extern "C" void* __libc_malloc(std::size_t size_bytes);
extern "C" void __libc_free(void* pointer);

namespace simt::device {
namespace {

std::size_t g_used_bytes = 0;

bool is_in_program(const void* pc) { return pc >= &__executable_start && pc < &_end; }

// Whether the call of malloc that returns to `pc` is a kernel's own, directly or by `new`, and not
// the emulator's on the kernel's behalf: the innermost caller that is no shared library's has a
// line in the program's source.
bool is_kernels(const void* pc) {
  if (running.grid == nullptr || running.is_private(0)) return false;
  const Untraced untraced;
  if (is_in_program(pc)) return source_line(pc).line != 0;
  const CallStack stack = capture_call_stack();
  const auto& callers = stack.return_addresses;
  const auto library = std::find(callers.begin(), callers.end(), pc);
  const auto caller = std::find_if(library, callers.end(), is_in_program);
  return caller != callers.end() && source_line(*caller).line != 0;
}

void* allocate_in_kernel(std::size_t size_bytes) {
  const Untraced untraced;
  const std::size_t limit = device_heap_bytes();
  if (size_bytes == 0 || size_bytes > limit || g_used_bytes > limit - size_bytes) return nullptr;
  void* const p = allocate(size_bytes, Allocation::Kind::device_heap);
  if (p != nullptr) g_used_bytes += size_bytes;
  return p;
}

[[noreturn]] void end_bad_free(const void* pointer, const void* pc) {
  const Allocation* const found = find_allocation(pointer);
  std::string why = ", which neither malloc nor new in a kernel returned";
  if (found != nullptr && found->base == pointer && !found->live) {
    const std::string line = program_line_name(found->freed_by);
    why = ", which has been freed already" + (line.empty() ? "" : " in " + line);
  }
  end_kernel(
      {cudaErrorLaunchFailure, "crash", running_thread_name() + " frees a pointer" + why, pc});
}

void free_on_device(void* pointer, const void* pc) {
  const Untraced untraced;
  const Allocation* const found = find_allocation(pointer);
  const std::size_t size_bytes = found != nullptr ? found->size_bytes : 0;
  if (release(pointer, Allocation::Kind::device_heap)) {
    g_used_bytes -= size_bytes;
  } else if (running.grid != nullptr) {
    end_bad_free(pointer, pc);
  }
}

}  // namespace

void open_device_heap() {
  if (used_bytes() == 0) g_used_bytes = 0;  // after cudaDeviceReset
}

void release_device_heap() {
  for (const Allocation* const allocation : live_allocations()) {
    if (allocation->kind == Allocation::Kind::device_heap) {
      release(allocation->base, Allocation::Kind::device_heap);
    }
  }
  g_used_bytes = 0;
}

}  // namespace simt::device

extern "C" void* malloc(std::size_t size_bytes) {
  using namespace simt::device;
  const bool is_devices = is_kernels(__builtin_return_address(0));
  return is_devices ? allocate_in_kernel(size_bytes) : __libc_malloc(size_bytes);
}

extern "C" void free(void* pointer) {
  using namespace simt::device;
  if (simt::is_device_address(pointer)) {
    free_on_device(pointer, __builtin_return_address(0));
  } else {
    __libc_free(pointer);
  }
}
