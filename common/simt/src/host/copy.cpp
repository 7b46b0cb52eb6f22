// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>

#include "capture.h"
#include "copy_box.h"
#include "run/device_lock.h"
#include "run/set_aside.h"
#include "run/stream_order.h"
#include "simt/copy_api.h"
#include "simt/counters.h"
#include "simt/error_state.h"
#include "simt/memory.h"

namespace simt {
namespace {

enum class Side { kHost, kDevice, kEither };

// One end of a copy: the allocation it lies in, or null for ordinary host memory.
struct End {
  bool valid;
  const Allocation* allocation;
};

End examine(const void* p, std::size_t size_bytes, Side wanted) {
  const Allocation* const found = find_allocation(p);
  if (found == nullptr || !found->live || !found->contains(p)) {
    const bool host_memory = p != nullptr && !is_device_address(p);
    return {host_memory && wanted != Side::kDevice, nullptr};
  }
  if (found->kind == Allocation::Kind::kDeviceHeap) return {false, found};  // for kernels only
  const bool side_fits = wanted != Side::kHost || found->host_accessible();
  return {side_fits && found->contains(p, size_bytes), found};
}

// A device with unified addresses ignores the kind of a copy between host addresses.
bool takes_any_side(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDefault || kind == cudaMemcpyHostToHost;
}

Side source_side(cudaMemcpyKind kind) {
  if (takes_any_side(kind)) return Side::kEither;
  return kind == cudaMemcpyHostToDevice ? Side::kHost : Side::kDevice;
}

Side destination_side(cudaMemcpyKind kind) {
  if (takes_any_side(kind)) return Side::kEither;
  return kind == cudaMemcpyDeviceToHost ? Side::kHost : Side::kDevice;
}

std::string bytes(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

// Why `end` is none: completes "a copy of 400 bytes". Empty if that takes more than one look at it.
std::string refusal(const End& end, const void* p, std::size_t size_bytes, const char* to_or_from) {
  const std::string copy = "a copy of " + bytes(size_bytes) + " " + to_or_from;
  if (p == nullptr) return copy + " a null pointer";
  if (end.allocation == nullptr) {
    return copy + (is_device_address(p) ? " device memory that is not allocated"
                                        : " memory of the host, although its cudaMemcpyKind "
                                          "names device memory");
  }
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(p) - end.allocation->base);
  if (!end.allocation->live || offset >= end.allocation->size_bytes) {
    return copy + " device memory that is not allocated";
  }
  if (offset + size_bytes > end.allocation->size_bytes) {
    return copy + " an allocation with " + bytes(end.allocation->size_bytes - offset) + " left";
  }
  return copy + " device memory, although its cudaMemcpyKind names memory of the host";
}

// Of the copy that was refused last, for the report of its error.
std::string& last_refusal() {
  static auto* const text = new std::string;  // outlives all users
  return *text;
}

void tell_observer(const End& to, void* destination, const End& from, const void* source,
                   std::size_t size_bytes) {
  MemoryObserver* const observer = memory_observer();
  if (observer == nullptr) return;
  if (to.allocation != nullptr && from.allocation != nullptr) {
    observer->on_copy(destination, source, size_bytes);
  } else if (to.allocation != nullptr) {
    observer->on_write(destination, size_bytes);
  } else if (from.allocation != nullptr) {
    observer->on_read(source, size_bytes);
  }
}

bool is_devices(const End& end) {
  return end.allocation != nullptr && end.allocation->kind != Allocation::Kind::kPinnedHost;
}

using internal::Box;

cudaError_t check_box(const Box& box, cudaExtent extent) {
  return extent.width > box.pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
}

bool is_empty(cudaExtent extent) {
  return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

cudaError_t fill(void* pointer, int byte_value, std::size_t size_bytes) {
  if (size_bytes == 0) return cudaSuccess;
  if (!examine(pointer, size_bytes, Side::kDevice).valid) return cudaErrorInvalidValue;
  std::memset(pointer, byte_value, size_bytes);
  if (memory_observer() != nullptr) memory_observer()->on_write(pointer, size_bytes);
  return cudaSuccess;
}

cudaError_t fill_box(Box box, int byte_value, cudaExtent extent) {
  if (check_box(box, extent) != cudaSuccess) return cudaErrorInvalidValue;
  cudaError_t error = cudaSuccess;
  for (std::size_t slice = 0; slice < extent.depth; ++slice) {
    for (std::size_t row = 0; row < extent.height && error == cudaSuccess; ++row) {
      error = fill(box.row(row, slice), byte_value, extent.width);
    }
  }
  return error;
}

// Elements of 1, 2 or 4 bytes.
cudaError_t fill_rows(Box box, unsigned value, unsigned element_bytes, std::size_t width,
                      std::size_t height) {
  for (std::size_t y = 0; y < height; ++y) {
    char* const row = box.row(y, 0);
    const std::size_t size_bytes = width * element_bytes;
    if (!examine(row, size_bytes, Side::kDevice).valid) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < size_bytes; i += element_bytes) {
      std::memcpy(row + i, &value, element_bytes);  // the low bytes come first
    }
    if (memory_observer() != nullptr) memory_observer()->on_write(row, size_bytes);
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t internal::copy_box(Box to, Box from, cudaExtent extent, cudaMemcpyKind kind) {
  if (check_box(to, extent) != cudaSuccess || check_box(from, extent) != cudaSuccess) {
    return cudaErrorInvalidPitchValue;
  }
  if (is_empty(extent)) return cudaSuccess;
  // Checks both ends completely first: a copy that fails has copied nothing.
  const std::size_t y = extent.height - 1;
  const std::size_t z = extent.depth - 1;
  const std::size_t to_bytes = static_cast<std::size_t>(to.row(y, z) - to.base) + extent.width;
  const std::size_t from_bytes =
      static_cast<std::size_t>(from.row(y, z) - from.base) + extent.width;
  if (!examine(to.base, to_bytes, destination_side(kind)).valid ||
      !examine(from.base, from_bytes, source_side(kind)).valid) {
    return cudaErrorInvalidValue;
  }
  cudaError_t error = cudaSuccess;
  for (std::size_t slice = 0; slice < extent.depth; ++slice) {
    for (std::size_t row = 0; row < extent.height && error == cudaSuccess; ++row) {
      error = copy(to.row(row, slice), from.row(row, slice), extent.width, kind);
    }
  }
  return error;
}

cudaError_t copy(void* destination, const void* source, std::size_t size_bytes,
                 cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (size_bytes == 0) return cudaSuccess;
  const End to = examine(destination, size_bytes, destination_side(kind));
  const End from = examine(source, size_bytes, source_side(kind));
  if (!to.valid || !from.valid) {
    last_refusal() = to.valid ? refusal(from, source, size_bytes, "from")
                              : refusal(to, destination, size_bytes, "to");
    return cudaErrorInvalidValue;
  }
  tell_observer(to, destination, from, source, size_bytes);
  count_copy({destination, is_devices(to)}, {source, is_devices(from)}, size_bytes);
  std::memmove(destination, source, size_bytes);
  return cudaSuccess;
}

}  // namespace simt

namespace {

cudaError_t carry_out(cudaStream_t stream, const std::function<cudaError_t()>& operation) {
  simt::internal::begin_work(stream);
  simt::last_refusal().clear();
  const cudaError_t error = simt::set_last_error(operation());
  if (!simt::last_refusal().empty()) simt::explain_last_error(simt::last_refusal());
  simt::internal::end_work();
  return error;
}

// Runs `operation` if the stream exists, and records what came of it. Behind a kernel that waits
// for the host it runs later. A stream that captures takes it as a node, which is like `like`.
template <class Like>
cudaError_t run_or_capture(cudaStream_t stream, cudaGraphNodeType type, const Like& like,
                           const std::function<cudaError_t()>& operation) {
  const simt::internal::DeviceLock lock;
  if (!simt::is_valid_stream(stream)) return simt::set_last_error(cudaErrorInvalidResourceHandle);
  if (simt::is_capturing(stream)) {
    const auto work = [=](cudaStream_t other) {
      return run_or_capture(other, type, like, operation);
    };
    return simt::internal::capture_work(stream, type, like, work);
  }
  if (const cudaError_t error = simt::check_legacy_stream(stream); error != cudaSuccess) {
    return simt::set_last_error(error);
  }
  if (simt::internal::is_behind_unfinished(stream)) {
    simt::internal::run_behind_set_aside([=] { carry_out(stream, operation); });
    return simt::set_last_error(cudaSuccess);
  }
  return carry_out(stream, operation);
}

bool is_pageable(const void* place) {
  const simt::Allocation* const found = simt::find_allocation(place);
  return found == nullptr || !found->live || !found->contains(place);
}

// Fills that are not Async return at once, too, unless the host can reach the memory.
cudaError_t wait_if_reachable(const void* pointer, cudaError_t error) {
  const simt::internal::DeviceLock lock;
  const simt::Allocation* const found = simt::find_allocation(pointer);
  if (found != nullptr && found->live && found->host_accessible()) {
    simt::internal::host_waits_for(nullptr);
  }
  return error;
}

cudaMemsetParams bytes_of(void* pointer, int value, std::size_t pitch, std::size_t width,
                          std::size_t height) {
  return {pointer, pitch, static_cast<unsigned char>(value), 1, width, height};
}

}  // namespace

namespace simt::internal {

cudaError_t on_stream(cudaStream_t stream, const cudaMemcpy3DParms& like,
                      const std::function<cudaError_t()>& operation) {
  return run_or_capture(stream, cudaGraphNodeTypeMemcpy, like, operation);
}

cudaError_t on_stream(cudaStream_t stream, const cudaMemsetParams& like,
                      const std::function<cudaError_t()>& operation) {
  return run_or_capture(stream, cudaGraphNodeTypeMemset, like, operation);
}

cudaError_t wait_for(const std::function<cudaError_t()>& copy) {
  const DeviceLock lock;
  if (const cudaError_t error = check_legacy_stream(nullptr); error != cudaSuccess) {
    return set_last_error(error);
  }
  host_waits_for(nullptr);
  const cudaError_t error = copy();
  host_waits_for(nullptr);
  return error;
}

void wait_if_pageable(const void* destination, cudaStream_t stream) {
  const DeviceLock lock;
  if (!is_pageable(destination) || !is_valid_stream(stream) || is_capturing(stream)) return;
  host_waits_for(stream);
}

void stage_if_pageable(const void* source, cudaStream_t stream) {
  const DeviceLock lock;
  if (!is_pageable(source) || !is_valid_stream(stream) || is_capturing(stream)) return;
  if (is_behind_unfinished(stream)) host_waits_for(stream);
}

}  // namespace simt::internal

using simt::internal::box_at;
using simt::internal::on_stream;
using simt::internal::plane;
using simt::internal::stage_if_pageable;
using simt::internal::wait_for;
using simt::internal::wait_if_pageable;

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t size_bytes,
                       cudaMemcpyKind kind) {
  return wait_for([=] { return cudaMemcpyAsync(destination, source, size_bytes, kind); });
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t size_bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  stage_if_pageable(source, stream);
  const cudaMemcpy3DParms like = simt::internal::plain_copy(destination, source, size_bytes, kind);
  const cudaError_t error =
      on_stream(stream, like, [=] { return simt::copy(destination, source, size_bytes, kind); });
  wait_if_pageable(destination, stream);
  return error;
}

cudaError_t cudaMemcpyPeer(void* destination, int destination_device, const void* source,
                           int source_device, std::size_t size_bytes) {
  if (destination_device != 0 || source_device != 0) {
    return simt::set_last_error(cudaErrorInvalidDevice);
  }
  return cudaMemcpy(destination, source, size_bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                                int source_device, std::size_t size_bytes, cudaStream_t stream) {
  if (destination_device != 0 || source_device != 0) {
    return simt::set_last_error(cudaErrorInvalidDevice);
  }
  return cudaMemcpyAsync(destination, source, size_bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                         std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                         cudaMemcpyKind kind) {
  return wait_for([=] {
    return cudaMemcpy2DAsync(destination, destination_pitch, source, source_pitch, width_bytes,
                             height, kind);
  });
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  stage_if_pageable(source, stream);
  cudaMemcpy3DParms like = {};
  like.srcPtr = {const_cast<void*>(source), source_pitch, source_pitch, height};
  like.dstPtr = {destination, destination_pitch, destination_pitch, height};
  like.extent = {width_bytes, height, 1};
  like.kind = kind;
  const cudaError_t error = on_stream(stream, like, [=] {
    return simt::internal::copy_box(plane(destination, destination_pitch),
                                    plane(source, source_pitch), {width_bytes, height, 1}, kind);
  });
  wait_if_pageable(destination, stream);
  return error;
}

cudaError_t cudaMemset(void* pointer, int byte_value, std::size_t size_bytes) {
  return wait_if_reachable(pointer, cudaMemsetAsync(pointer, byte_value, size_bytes));
}

cudaError_t cudaMemsetAsync(void* pointer, int byte_value, std::size_t size_bytes,
                            cudaStream_t stream) {
  return on_stream(stream, bytes_of(pointer, byte_value, size_bytes, size_bytes, 1),
                   [=] { return simt::fill(pointer, byte_value, size_bytes); });
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int byte_value, std::size_t width_bytes,
                         std::size_t height) {
  return wait_if_reachable(pointer,
                           cudaMemset2DAsync(pointer, pitch, byte_value, width_bytes, height));
}

cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int byte_value,
                              std::size_t width_bytes, std::size_t height, cudaStream_t stream) {
  return on_stream(stream, bytes_of(pointer, byte_value, pitch, width_bytes, height), [=] {
    return simt::fill_box(plane(pointer, pitch), byte_value, {width_bytes, height, 1});
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int byte_value, cudaExtent extent) {
  return wait_if_reachable(
      pitched.ptr,
      on_stream(nullptr,
                bytes_of(pitched.ptr, byte_value, pitched.pitch, extent.width, extent.height), [=] {
                  return simt::fill_box(box_at(pitched, {0, 0, 0}), byte_value, extent);
                }));
}

cudaError_t simt::internal::fill_elements(const cudaMemsetParams& fill, cudaStream_t stream) {
  return on_stream(stream, fill, [=] {
    const std::size_t pitch = fill.height > 1 ? fill.pitch : fill.width * fill.elementSize;
    return simt::fill_rows(plane(fill.dst, pitch), fill.value, fill.elementSize, fill.width,
                           fill.height);
  });
}
