// SPDX-License-Identifier: MIT
#include "allocation.h"

#include <unistd.h>

#include "call.h"
#include "capture.h"
#include "connection.h"
#include "error_state.h"
#include "pool.h"
#include "shared_pages.h"
#include "stream.h"
#include "waiting.h"

extern "C" void* __libc_stack_end;  // where the main thread's stack begins

namespace runtime {
namespace {

constexpr std::size_t kPitchAlignment = 512;

cudaError_t allocate_for(void** pointer, std::size_t size_bytes, serve::Memory memory) {
  if (pointer == nullptr) return set_last_error(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (size_bytes == 0) return set_last_error(cudaSuccess);
  cudaError_t error = cudaSuccess;
  *pointer = allocate(size_bytes, memory, &error);
  return error;
}

// Whether pages would be exchanged while calls of this thread have their frames there.
bool is_on_stack(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kMargin = 64
                                    << 10;  // a page's other bytes, and the frames of deeper calls
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const bool is_main = gettid() == getpid();
  const std::uint64_t top = is_main ? reinterpret_cast<std::uint64_t>(__libc_stack_end) : frame;
  return end + kMargin > frame && begin < top + kMargin;
}

cudaError_t check_managed(const void* pointer, std::size_t size_bytes) {
  const Found found = find_allocation(pointer);
  return found.contains(pointer, size_bytes) && found.kind == MemoryKind::kManaged
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

}  // namespace

Found find_allocation(const void* pointer) {
  if (!is_device_address(pointer)) return {};
  const auto asked = ask(serve::Find{number(pointer)});
  return {asked.result.base, asked.result.size_bytes, static_cast<MemoryKind>(asked.result.kind)};
}

void* allocate(std::size_t size_bytes, serve::Memory memory, cudaError_t* error,
               std::uint64_t stream) {
  const auto asked = ask(serve::Allocate{size_bytes, stream, memory, caller_place()});
  *error = asked.error;
  const std::uint64_t address = asked.result.address;
  if (*error == cudaSuccess && memory != serve::Memory::kDevice &&
      !open_shared(address, size_bytes)) {
    *error = cudaErrorMemoryAllocation;
  }
  const std::string why(asked.tail);
  *error = set_last_error(*error);
  if (*error == cudaErrorMemoryAllocation) explain_last_error(why);
  return reinterpret_cast<void*>(address);
}

cudaError_t release(void* pointer, serve::FreeCall call, cudaStream_t stream) {
  if (call != serve::FreeCall::kFreeAsync) finish_waiting();
  const auto asked = ask(serve::Free{number(pointer), stream_number(stream), call, caller_place()});
  const std::string why(asked.tail);
  if (asked.error == cudaSuccess) close_shared(number(pointer));
  const cudaError_t error = set_last_error(asked.error);
  if (!why.empty()) explain_last_error(why);
  return error;
}

}  // namespace runtime

using namespace runtime;

cudaError_t cudaMalloc(void** pointer, std::size_t size_bytes) {
  RUNTIME_CALL;
  if (const cudaError_t error = check_uncaptured(); error != cudaSuccess) {
    return set_last_error(error);
  }
  return allocate_for(pointer, size_bytes, serve::Memory::kDevice);
}

cudaError_t cudaFree(void* pointer) {
  RUNTIME_CALL;
  // Of a pool's memory it takes all accesses for complete, and waits for nothing: CUDA Programming
  // Guide, "Stream-Ordered Memory Allocator".
  const bool waits = !is_of_pool(pointer);
  if (waits) note_host_wait();
  if (const cudaError_t error = check_uncaptured(); error != cudaSuccess) {
    return set_last_error(error);
  }
  if (waits) host_waits_for_all();
  if (release_graph_memory(pointer)) return set_last_error(cudaSuccess);
  const cudaError_t error =
      release(pointer, waits ? serve::FreeCall::kFree : serve::FreeCall::kFreeOfPool);
  if (error == cudaSuccess) leave_pool(pointer);
  return error;
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t size_bytes, cudaStream_t stream) {
  RUNTIME_CALL;
  return cudaMallocFromPoolAsync(pointer, size_bytes, current_pool(), stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size_bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  RUNTIME_CALL;
  if (!is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  if (!is_valid_pool(pool) || pointer == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (is_capturing(stream)) return capture_allocation(stream, size_bytes, pointer);
  if (!has_room(pool, size_bytes)) return set_last_error(cudaErrorMemoryAllocation);
  *pointer = nullptr;
  if (size_bytes == 0) return set_last_error(cudaSuccess);
  // The kernel that waits for the host need not end before: nothing may use the memory yet.
  const bool is_ordered = !is_behind_waiting(stream);
  cudaError_t error = cudaSuccess;
  *pointer = allocate(size_bytes, serve::Memory::kDevice, &error,
                      is_ordered ? stream_number(stream) : serve::kNoStream);
  if (error == cudaSuccess) enter_in_pool(pool, *pointer, size_bytes);
  return error;
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  RUNTIME_CALL;
  if (!is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  if (is_capturing(stream)) return capture_free(stream, pointer);
  if (is_behind_waiting(stream)) {
    run_behind_waiting([=] { cudaFreeAsync(pointer, stream); });
    return set_last_error(cudaSuccess);
  }
  if (release_graph_memory(pointer)) return set_last_error(cudaSuccess);
  const cudaError_t error = release(pointer, serve::FreeCall::kFreeAsync, stream);
  if (error == cudaSuccess) leave_pool(pointer);
  return error;
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes,
                            std::size_t height) {
  RUNTIME_CALL;
  if (pitch == nullptr) return set_last_error(cudaErrorInvalidValue);
  *pitch = (width_bytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  if (*pitch != 0 && height > memory::kDeviceMemoryBytes / *pitch) {
    return set_last_error(cudaErrorMemoryAllocation);
  }
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  RUNTIME_CALL;
  if (pitched == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (extent.height != 0 && extent.depth > memory::kDeviceMemoryBytes / extent.height) {
    return set_last_error(cudaErrorMemoryAllocation);
  }
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width,
                         extent.height * extent.depth);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t size_bytes, unsigned int flags) {
  RUNTIME_CALL;
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return allocate_for(pointer, size_bytes, serve::Memory::kManaged);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t size_bytes) {
  RUNTIME_CALL;
  return allocate_for(pointer, size_bytes, serve::Memory::kPinned);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size_bytes, unsigned int flags) {
  RUNTIME_CALL;
  if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return allocate_for(pointer, size_bytes, serve::Memory::kPinned);
}

cudaError_t cudaFreeHost(void* pointer) {
  RUNTIME_CALL;
  return release(pointer, serve::FreeCall::kFreeHost);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t size_bytes, unsigned int) {
  RUNTIME_CALL;
  if (pointer == nullptr || size_bytes == 0) return set_last_error(cudaErrorInvalidValue);
  const auto host = reinterpret_cast<std::uint64_t>(pointer);
  if (find_allocation(pointer).is_hosts_too() || is_registered(host, host + size_bytes)) {
    return set_last_error(cudaErrorHostMemoryAlreadyRegistered);
  }
  if (is_device_address(pointer)) return set_last_error(cudaErrorInvalidValue);
  if (is_on_stack(host, host + size_bytes)) {
    set_last_error(cudaErrorNotSupported);
    explain_last_error("cudaHostRegister (of a local variable: take memory from new or malloc)");
    return cudaErrorNotSupported;
  }
  finish_waiting();
  const auto asked = ask(serve::Register{host, size_bytes, caller_place()});
  const std::string why(asked.tail);
  cudaError_t error = asked.error;
  if (error == cudaSuccess && !share_registered(host, size_bytes, asked.result.address)) {
    ask(serve::Unregister{asked.result.address, caller_place()});
    error = cudaErrorMemoryAllocation;
  }
  set_last_error(error);
  if (!why.empty()) explain_last_error(why);
  return error;
}

cudaError_t cudaHostUnregister(void* pointer) {
  RUNTIME_CALL;
  const auto host = reinterpret_cast<std::uint64_t>(pointer);
  if (!is_registered(host, host + 1)) return set_last_error(cudaErrorHostMemoryNotRegistered);
  finish_waiting();
  host_waits_for_all();
  const std::uint64_t device = number(pointer);
  const auto asked = ask(serve::Find{device});
  if (asked.result.base != device) return set_last_error(cudaErrorHostMemoryNotRegistered);
  take_registered_back(host);
  return set_last_error(ask(serve::Unregister{device, caller_place()}).error);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer,
                                     unsigned int flags) {
  RUNTIME_CALL;
  if (device_pointer == nullptr || flags != 0) return set_last_error(cudaErrorInvalidValue);
  if (!find_allocation(host_pointer).is_hosts_too()) return set_last_error(cudaErrorInvalidValue);
  *device_pointer = host_pointer;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host_pointer) {
  RUNTIME_CALL;
  const Found found = find_allocation(host_pointer);
  const bool is_pinned = found.exists() && found.kind == MemoryKind::kPinnedHost;
  if (flags == nullptr || !is_pinned) return set_last_error(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped;  // all pinned memory is mapped where addresses are unified
  return set_last_error(cudaSuccess);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  RUNTIME_CALL;
  if (free_bytes == nullptr || total_bytes == nullptr) return set_last_error(cudaErrorInvalidValue);
  const auto asked = ask(serve::AskMemory{});
  *free_bytes = asked.result.free_bytes;
  *total_bytes = asked.result.total_bytes;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  RUNTIME_CALL;
  if (attributes == nullptr) return set_last_error(cudaErrorInvalidValue);
  void* const address = const_cast<void*>(pointer);
  const Found found = find_allocation(pointer);
  if (!found.exists()) {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
  } else if (found.kind == MemoryKind::kManaged) {
    *attributes = {cudaMemoryTypeManaged, 0, address, address};
  } else if (found.kind == MemoryKind::kPinnedHost) {
    *attributes = {cudaMemoryTypeHost, 0, address, address};
  } else {
    *attributes = {cudaMemoryTypeDevice, 0, address, nullptr};
  }
  return set_last_error(cudaSuccess);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t size_bytes, cudaMemoryAdvise,
                          cudaMemLocation) {
  RUNTIME_CALL;
  return set_last_error(check_managed(pointer, size_bytes));
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size_bytes,
                                 cudaMemLocation location, unsigned int, cudaStream_t stream) {
  RUNTIME_CALL;
  const bool is_known = location.type == cudaMemLocationTypeHost || location.id == 0;
  if (!is_known) return set_last_error(cudaErrorInvalidDevice);
  if (!is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  return set_last_error(check_managed(pointer, size_bytes));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t size_bytes,
                                     unsigned int) {
  RUNTIME_CALL;
  if (!is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  return set_last_error(check_managed(pointer, size_bytes == 0 ? 1 : size_bytes));
}
