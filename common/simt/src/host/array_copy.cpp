// SPDX-License-Identifier: MIT
// Copies to and from arrays, and boxes of three dimensions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "copy_box.h"
#include "run/device_lock.h"
#include "simt/error_state.h"
#include "simt/image.h"

namespace {

using simt::internal::Box;
using simt::internal::box_at;
using simt::internal::on_stream;
using simt::internal::plane;
using simt::internal::stage_if_pageable;
using simt::internal::wait_for;
using simt::internal::wait_if_pageable;

struct ArrayPlace {
  std::size_t x_bytes, y, z;
};

// The array from there on; nothing unless it is live and holds the extent (width in bytes).
std::optional<Box> array_box(cudaArray_const_t array, ArrayPlace place, cudaExtent extent) {
  const simt::internal::DeviceLock lock;
  const simt::Image* const image = simt::find_array(array);
  if (image == nullptr) return std::nullopt;
  const auto fits = [](std::size_t offset, std::size_t size, std::size_t room) {
    return offset <= room && size <= room - offset;
  };
  if (!fits(place.x_bytes, extent.width, image->row_bytes) ||
      !fits(place.y, extent.height, image->height) || !fits(place.z, extent.depth, image->depth)) {
    return std::nullopt;
  }
  return Box{reinterpret_cast<char*>(image->at(place.x_bytes, place.y, place.z)), image->row_bytes,
             image->height};
}

cudaError_t copy_boxes(std::optional<Box> to, std::optional<Box> from, cudaExtent extent,
                       cudaMemcpyKind kind) {
  if (!to || !from) return cudaErrorInvalidValue;
  return simt::internal::copy_box(*to, *from, extent, kind);
}

// One run of bytes over rows as a box of one row, which is what it is in memory without padding.
std::optional<Box> array_run(cudaArray_const_t array, std::size_t offset_bytes,
                             std::size_t offset_rows, std::size_t size_bytes) {
  const simt::internal::DeviceLock lock;
  const simt::Image* const image = simt::find_array(array);
  if (image == nullptr || offset_bytes > image->row_bytes || offset_rows >= image->height) {
    return std::nullopt;
  }
  const std::size_t offset = offset_rows * image->row_bytes + offset_bytes;
  if (size_bytes > image->size_bytes() - offset) return std::nullopt;
  return plane(image->base + offset, size_bytes);
}

// The bytes of an element of the arrays that take part; 1 if none does. 0: they differ, or are no
// live arrays.
std::size_t unit_of(const cudaMemcpy3DParms& all) {
  const simt::internal::DeviceLock lock;
  std::size_t unit = 0;
  for (const cudaArray_const_t array : {all.srcArray, all.dstArray}) {
    if (array == nullptr) continue;
    const simt::Image* const image = simt::find_array(array);
    if (image == nullptr || (unit != 0 && unit != image->element_bytes())) return 0;
    unit = image->element_bytes();
  }
  return unit == 0 ? 1 : unit;
}

std::optional<Box> side_of(cudaArray_const_t array, const cudaPitchedPtr& pitched, cudaPos at,
                           std::size_t unit, cudaExtent extent) {
  if (array != nullptr) return array_box(array, {at.x * unit, at.y, at.z}, extent);
  return box_at(pitched, at);
}

// A side is an array or memory, and not both.
bool is_ambiguous(const cudaMemcpy3DParms& all) {
  return (all.srcArray != nullptr && all.srcPtr.ptr != nullptr) ||
         (all.dstArray != nullptr && all.dstPtr.ptr != nullptr);
}

// A copy as cudaMemcpy3DParms say it: there, places and widths count elements of the arrays.
cudaMemcpy3DParms in_elements(cudaMemcpy3DParms all, cudaMemcpyKind kind) {
  const std::size_t unit = std::max<std::size_t>(unit_of(all), 1);
  all.srcPos.x /= unit;
  all.dstPos.x /= unit;
  all.extent.width /= unit;
  all.kind = kind;
  return all;
}

cudaMemcpy3DParms to_array(cudaArray_t destination, std::size_t offset_bytes,
                           std::size_t offset_rows, const void* source, std::size_t pitch,
                           cudaExtent extent, cudaMemcpyKind kind) {
  cudaMemcpy3DParms all = {};
  all.dstArray = destination;
  all.dstPos = {offset_bytes, offset_rows, 0};
  all.srcPtr = {const_cast<void*>(source), pitch, pitch, extent.height};
  all.extent = extent;
  return in_elements(all, kind);
}

cudaMemcpy3DParms from_array(void* destination, std::size_t pitch, cudaArray_const_t source,
                             std::size_t offset_bytes, std::size_t offset_rows, cudaExtent extent,
                             cudaMemcpyKind kind) {
  cudaMemcpy3DParms all = {};
  all.srcArray = const_cast<cudaArray_t>(source);
  all.srcPos = {offset_bytes, offset_rows, 0};
  all.dstPtr = {destination, pitch, pitch, extent.height};
  all.extent = extent;
  return in_elements(all, kind);
}

}  // namespace

cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, std::size_t offset_bytes,
                                std::size_t offset_rows, const void* source, std::size_t pitch,
                                std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  return wait_for([=] {
    return cudaMemcpy2DToArrayAsync(destination, offset_bytes, offset_rows, source, pitch,
                                    width_bytes, height, kind);
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, std::size_t offset_bytes,
                                     std::size_t offset_rows, const void* source, std::size_t pitch,
                                     std::size_t width_bytes, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  stage_if_pageable(source, stream);
  const cudaExtent extent = {width_bytes, height, 1};
  const auto like = to_array(destination, offset_bytes, offset_rows, source, pitch, extent, kind);
  return on_stream(stream, like, [=] {
    return copy_boxes(array_box(destination, {offset_bytes, offset_rows, 0}, extent),
                      plane(source, pitch), extent, kind);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* destination, std::size_t pitch, cudaArray_const_t source,
                                  std::size_t offset_bytes, std::size_t offset_rows,
                                  std::size_t width_bytes, std::size_t height,
                                  cudaMemcpyKind kind) {
  return wait_for([=] {
    return cudaMemcpy2DFromArrayAsync(destination, pitch, source, offset_bytes, offset_rows,
                                      width_bytes, height, kind);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* destination, std::size_t pitch,
                                       cudaArray_const_t source, std::size_t offset_bytes,
                                       std::size_t offset_rows, std::size_t width_bytes,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  const cudaExtent extent = {width_bytes, height, 1};
  const auto like = from_array(destination, pitch, source, offset_bytes, offset_rows, extent, kind);
  const cudaError_t error = on_stream(stream, like, [=] {
    return copy_boxes(plane(destination, pitch),
                      array_box(source, {offset_bytes, offset_rows, 0}, extent), extent, kind);
  });
  wait_if_pageable(destination, stream);
  return error;
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, std::size_t destination_bytes,
                                     std::size_t destination_rows, cudaArray_const_t source,
                                     std::size_t source_bytes, std::size_t source_rows,
                                     std::size_t width_bytes, std::size_t height,
                                     cudaMemcpyKind kind) {
  return wait_for([=] {
    cudaMemcpy3DParms like = {};
    like.srcArray = const_cast<cudaArray_t>(source);
    like.srcPos = {source_bytes, source_rows, 0};
    like.dstArray = destination;
    like.dstPos = {destination_bytes, destination_rows, 0};
    like.extent = {width_bytes, height, 1};
    return on_stream(nullptr, in_elements(like, kind), [=] {
      const cudaExtent extent = {width_bytes, height, 1};
      return copy_boxes(array_box(destination, {destination_bytes, destination_rows, 0}, extent),
                        array_box(source, {source_bytes, source_rows, 0}, extent), extent, kind);
    });
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t destination, std::size_t offset_bytes,
                              std::size_t offset_rows, const void* source, std::size_t size_bytes,
                              cudaMemcpyKind kind) {
  return wait_for([=] {
    const cudaExtent extent = {size_bytes, 1, 1};
    const auto like =
        to_array(destination, offset_bytes, offset_rows, source, size_bytes, extent, kind);
    return on_stream(nullptr, like, [=] {
      return copy_boxes(array_run(destination, offset_bytes, offset_rows, size_bytes),
                        plane(source, size_bytes), extent, kind);
    });
  });
}

cudaError_t cudaMemcpyFromArray(void* destination, cudaArray_const_t source,
                                std::size_t offset_bytes, std::size_t offset_rows,
                                std::size_t size_bytes, cudaMemcpyKind kind) {
  return wait_for([=] {
    const cudaExtent extent = {size_bytes, 1, 1};
    const auto like =
        from_array(destination, size_bytes, source, offset_bytes, offset_rows, extent, kind);
    return on_stream(nullptr, like, [=] {
      return copy_boxes(plane(destination, size_bytes),
                        array_run(source, offset_bytes, offset_rows, size_bytes), extent, kind);
    });
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return wait_for([=] { return cudaMemcpy3DAsync(parameters); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  if (parameters == nullptr || is_ambiguous(*parameters)) {
    return simt::set_last_error(cudaErrorInvalidValue);
  }
  if (parameters->srcArray == nullptr) stage_if_pageable(parameters->srcPtr.ptr, stream);
  const cudaError_t error = on_stream(stream, *parameters, [all = *parameters] {
    const std::size_t unit = unit_of(all);
    if (unit == 0 || all.extent.width > SIZE_MAX / unit) return cudaErrorInvalidValue;
    cudaExtent extent = all.extent;
    extent.width *= unit;
    return copy_boxes(side_of(all.dstArray, all.dstPtr, all.dstPos, unit, extent),
                      side_of(all.srcArray, all.srcPtr, all.srcPos, unit, extent), extent,
                      all.kind);
  });
  if (parameters->dstArray == nullptr) wait_if_pageable(parameters->dstPtr.ptr, stream);
  return error;
}
