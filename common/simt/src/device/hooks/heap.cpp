// SPDX-License-Identifier: MIT
// What a rung's own calls of malloc, free, new and delete become. WorkerSteps.cmake renames them in
// the rung's object, so it does not matter what the compiler has inlined. The emulator and the
// libraries keep the C library's functions.
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "run/device_heap.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/in_kernel.h"
#include "simt/memory.h"

namespace {

using simt::device::running;

bool is_devices_to_free(const void* pointer) {
  return simt::is_device_address(pointer) || (pointer != nullptr && running.in_kernel());
}

void* new_in_kernel(std::size_t size_bytes, std::size_t alignment = 1) {
  if (alignment > simt::kAllocationAlignment) return nullptr;
  return simt::device::allocate_on_device(size_bytes == 0 ? 1 : size_bytes);
}

void* or_throw(void* allocated) {
  if (allocated == nullptr) throw std::bad_alloc();
  return allocated;
}

void refuse_in_kernel(const char* function, const void* pc) {
  if (!running.in_kernel()) return;
  const simt::device::Untraced untraced;
  simt::device::end_kernel({cudaErrorLaunchFailure, simt::FindingKind::kCrash,
                            simt::device::running_thread_name() + " calls " + function +
                                ", which only the host has: use malloc or new in a kernel",
                            pc});
}

}  // namespace

extern "C" {

void* simt_malloc(std::size_t size_bytes) {
  return running.in_kernel() ? simt::device::allocate_on_device(size_bytes)
                             : std::malloc(size_bytes);
}

void simt_free(void* pointer) {
  if (is_devices_to_free(pointer)) {
    simt::device::free_on_device(pointer, __builtin_return_address(0));
  } else {
    std::free(pointer);
  }
}

void* simt_calloc(std::size_t count, std::size_t size_bytes) {
  refuse_in_kernel("calloc", __builtin_return_address(0));
  return std::calloc(count, size_bytes);
}

void* simt_realloc(void* pointer, std::size_t size_bytes) {
  refuse_in_kernel("realloc", __builtin_return_address(0));
  return std::realloc(pointer, size_bytes);
}

void* simt_aligned_alloc(std::size_t alignment, std::size_t size_bytes) {
  refuse_in_kernel("aligned_alloc", __builtin_return_address(0));
  return std::aligned_alloc(alignment, size_bytes);
}

int simt_posix_memalign(void** pointer, std::size_t alignment, std::size_t size_bytes) {
  refuse_in_kernel("posix_memalign", __builtin_return_address(0));
  return posix_memalign(pointer, alignment, size_bytes);
}

void* simt_new(std::size_t size_bytes) {
  return running.in_kernel() ? or_throw(new_in_kernel(size_bytes)) : ::operator new(size_bytes);
}

void* simt_new_nothrow(std::size_t size_bytes) {
  return running.in_kernel() ? new_in_kernel(size_bytes) : ::operator new(size_bytes, std::nothrow);
}

void* simt_new_aligned(std::size_t size_bytes, std::size_t alignment) {
  return running.in_kernel() ? or_throw(new_in_kernel(size_bytes, alignment))
                             : ::operator new (size_bytes, std::align_val_t{alignment});
}

void* simt_new_aligned_nothrow(std::size_t size_bytes, std::size_t alignment) {
  return running.in_kernel()
             ? new_in_kernel(size_bytes, alignment)
             : ::operator new (size_bytes, std::align_val_t{alignment}, std::nothrow);
}

// Every form of delete. Its further arguments, size and alignment, say nothing new.
void simt_delete(void* pointer) {
  if (is_devices_to_free(pointer)) {
    simt::device::free_on_device(pointer, __builtin_return_address(0));
  } else {
    ::operator delete(pointer);
  }
}

// The mangled names of all forms: nw and dl are for one object, na and da for an array.
#define SIMT_NAME(name, function) decltype(function) name __attribute__((alias(#function)))
#define SIMT_NEW_NAMES(kind)                                   \
  SIMT_NAME(simt_Z##kind##m, simt_new);                        \
  SIMT_NAME(simt_Z##kind##mRKSt9nothrow_t, simt_new_nothrow);  \
  SIMT_NAME(simt_Z##kind##mSt11align_val_t, simt_new_aligned); \
  SIMT_NAME(simt_Z##kind##mSt11align_val_tRKSt9nothrow_t, simt_new_aligned_nothrow)
#define SIMT_DELETE_NAMES(kind)                             \
  SIMT_NAME(simt_Z##kind##Pv, simt_delete);                 \
  SIMT_NAME(simt_Z##kind##Pvm, simt_delete);                \
  SIMT_NAME(simt_Z##kind##PvRKSt9nothrow_t, simt_delete);   \
  SIMT_NAME(simt_Z##kind##PvSt11align_val_t, simt_delete);  \
  SIMT_NAME(simt_Z##kind##PvmSt11align_val_t, simt_delete); \
  SIMT_NAME(simt_Z##kind##PvSt11align_val_tRKSt9nothrow_t, simt_delete)
SIMT_NEW_NAMES(nw);
SIMT_NEW_NAMES(na);
SIMT_DELETE_NAMES(dl);
SIMT_DELETE_NAMES(da);

}  // extern "C"

bool simt::is_in_kernel() { return running.in_kernel(); }
