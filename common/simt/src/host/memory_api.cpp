// SPDX-License-Identifier: MIT
#include "simt/memory_api.h"

#include "allocations.h"
#include "capture.h"
#include "free_report.h"
#include "pool.h"
#include "run/device_lock.h"
#include "run/set_aside.h"
#include "run/stream_order.h"
#include "simt/error_state.h"
#include "simt/memory.h"

namespace {

using simt::Allocation;
using simt::set_last_error;
using simt::device::CopyKind;
using Kind = simt::Allocation::Kind;

constexpr std::size_t kPitchAlignment = 512;

cudaError_t allocate(void** pointer, std::size_t size_bytes, Kind kind) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (size_bytes == 0) return cudaSuccess;
  void* const base = simt::allocate(size_bytes, kind);
  if (base == nullptr) return cudaErrorMemoryAllocation;
  *pointer = base;
  return cudaSuccess;
}

cudaError_t bad_free(const void* pointer, const char* function) {
  const cudaError_t error = set_last_error(cudaErrorInvalidValue);
  simt::explain_last_error(simt::internal::describe_bad_free(pointer, function));
  return error;
}

const Allocation* live_allocation_of(const void* pointer) {
  const Allocation* const found = simt::find_allocation(pointer);
  return found != nullptr && found->live && found->contains(pointer) ? found : nullptr;
}

cudaError_t check_managed(const void* pointer, std::size_t size_bytes) {
  const Allocation* const found = live_allocation_of(pointer);
  const bool whole = found != nullptr && found->contains(pointer, size_bytes);
  return whole && found->kind == Kind::kManaged ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t size_bytes) {
  const simt::internal::DeviceLock lock;
  if (const cudaError_t error = simt::internal::check_uncaptured(); error != cudaSuccess) {
    return set_last_error(error);
  }
  const cudaError_t error = set_last_error(allocate(pointer, size_bytes, Kind::kDevice));
  if (error == cudaErrorMemoryAllocation) {
    simt::explain_last_error("cudaMalloc of " + std::to_string(size_bytes) + " bytes");
  }
  return error;
}

cudaError_t cudaFree(void* pointer) {
  const simt::internal::DeviceLock lock;
  if (const cudaError_t error = simt::internal::check_uncaptured(); error != cudaSuccess) {
    return set_last_error(error);
  }
  simt::internal::host_waits_for_all();
  return cudaFreeAsync(pointer, nullptr);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t size_bytes, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size_bytes, simt::internal::current_pool(), stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size_bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  if (!simt::is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  if (!simt::internal::is_valid_pool(pool)) return set_last_error(cudaErrorInvalidValue);
  if (simt::is_capturing(stream)) {
    return simt::internal::capture_allocation(stream, size_bytes, pointer);
  }
  if (!simt::internal::has_room(pool, size_bytes)) return set_last_error(cudaErrorMemoryAllocation);
  simt::internal::begin_work(stream).kind = CopyKind::kAllocation;
  const cudaError_t error = cudaMalloc(pointer, size_bytes);
  simt::internal::end_work();
  if (error == cudaSuccess) simt::internal::enter_in_pool(pool, *pointer, size_bytes);
  return error;
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  if (!simt::is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  if (simt::is_capturing(stream)) return simt::internal::capture_free(stream, pointer);
  if (simt::internal::is_behind_unfinished(stream)) {
    simt::internal::run_behind_set_aside([=] { cudaFreeAsync(pointer, stream); });
    return set_last_error(cudaSuccess);
  }
  simt::internal::begin_work(stream).kind = CopyKind::kFree;
  const bool fine = pointer == nullptr || simt::release(pointer, Kind::kDevice) ||
                    simt::release(pointer, Kind::kManaged);
  simt::internal::end_work();
  if (fine) simt::internal::leave_pool(pointer);
  return fine ? set_last_error(cudaSuccess) : bad_free(pointer, "cudaFree");
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes,
                            std::size_t height) {
  const simt::internal::DeviceLock lock;
  if (pitch == nullptr) return set_last_error(cudaErrorInvalidValue);
  *pitch = (width_bytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  if (*pitch != 0 && height > simt::kDeviceMemoryBytes / *pitch) {
    return set_last_error(cudaErrorMemoryAllocation);
  }
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  const simt::internal::DeviceLock lock;
  if (pitched == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (extent.height != 0 && extent.depth > simt::kDeviceMemoryBytes / extent.height) {
    return set_last_error(cudaErrorMemoryAllocation);
  }
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width,
                         extent.height * extent.depth);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t size_bytes, unsigned int flags) {
  const simt::internal::DeviceLock lock;
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return set_last_error(allocate(pointer, size_bytes, Kind::kManaged));
}

cudaError_t cudaMallocHost(void** pointer, std::size_t size_bytes, unsigned int flags) {
  return cudaHostAlloc(pointer, size_bytes, flags);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size_bytes, unsigned int flags) {
  const simt::internal::DeviceLock lock;
  if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return set_last_error(allocate(pointer, size_bytes, Kind::kPinnedHost));
}

cudaError_t cudaFreeHost(void* pointer) {
  const simt::internal::DeviceLock lock;
  simt::internal::host_waits_for_all();
  const bool fine = pointer == nullptr || simt::release(pointer, Kind::kPinnedHost);
  return fine ? set_last_error(cudaSuccess) : bad_free(pointer, "cudaFreeHost");
}

cudaError_t cudaHostRegister(void* pointer, std::size_t size_bytes, unsigned int) {
  const simt::internal::DeviceLock lock;
  if (pointer == nullptr || size_bytes == 0 || simt::is_device_address(pointer)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  const auto* const last_byte = static_cast<std::byte*>(pointer) + size_bytes - 1;
  if (live_allocation_of(pointer) != nullptr || live_allocation_of(last_byte) != nullptr) {
    return set_last_error(cudaErrorHostMemoryAlreadyRegistered);
  }
  simt::register_allocation(pointer, size_bytes, "registered host memory", Kind::kPinnedHost);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaHostUnregister(void* pointer) {
  const simt::internal::DeviceLock lock;
  const Allocation* const found = live_allocation_of(pointer);
  if (found == nullptr || found->base != pointer || found->kind != Kind::kPinnedHost ||
      simt::is_device_address(pointer)) {
    return set_last_error(cudaErrorHostMemoryNotRegistered);
  }
  simt::retire_allocation(pointer);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer,
                                     unsigned int flags) {
  const simt::internal::DeviceLock lock;
  const Allocation* const found = live_allocation_of(host_pointer);
  if (device_pointer == nullptr || flags != 0 || found == nullptr || !found->host_accessible()) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *device_pointer = host_pointer;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host_pointer) {
  const simt::internal::DeviceLock lock;
  const Allocation* const found = live_allocation_of(host_pointer);
  if (flags == nullptr || found == nullptr || found->kind != Kind::kPinnedHost) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *flags = cudaHostAllocMapped;  // all pinned memory is mapped where addresses are unified
  return set_last_error(cudaSuccess);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  const simt::internal::DeviceLock lock;
  if (free_bytes == nullptr || total_bytes == nullptr) return set_last_error(cudaErrorInvalidValue);
  *free_bytes = simt::kDeviceMemoryBytes - simt::used_bytes();
  *total_bytes = simt::kDeviceMemoryBytes;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const simt::internal::DeviceLock lock;
  if (attributes == nullptr) return set_last_error(cudaErrorInvalidValue);
  void* const address = const_cast<void*>(pointer);
  const Allocation* const found = live_allocation_of(pointer);
  if (found == nullptr) {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
  } else if (found->kind == Kind::kManaged) {
    *attributes = {cudaMemoryTypeManaged, 0, address, address};
  } else if (found->kind == Kind::kPinnedHost) {
    *attributes = {cudaMemoryTypeHost, 0, address, address};
  } else {
    *attributes = {cudaMemoryTypeDevice, 0, address, nullptr};
  }
  return set_last_error(cudaSuccess);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t size_bytes, cudaMemoryAdvise, int) {
  const simt::internal::DeviceLock lock;
  return set_last_error(check_managed(pointer, size_bytes));
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t size_bytes, cudaMemoryAdvise,
                          cudaMemLocation) {
  const simt::internal::DeviceLock lock;
  return set_last_error(check_managed(pointer, size_bytes));
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size_bytes, int device,
                                 cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  if (device != 0 && device != cudaCpuDeviceId) return set_last_error(cudaErrorInvalidDevice);
  if (!simt::is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  return set_last_error(check_managed(pointer, size_bytes));
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size_bytes,
                                 cudaMemLocation location, unsigned int, cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  const int device = location.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : location.id;
  return cudaMemPrefetchAsync(pointer, size_bytes, device, stream);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t size_bytes,
                                     unsigned int) {
  const simt::internal::DeviceLock lock;
  if (!simt::is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  return set_last_error(check_managed(pointer, size_bytes == 0 ? 1 : size_bytes));
}
