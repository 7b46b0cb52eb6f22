// SPDX-License-Identifier: MIT
// Copies to and from arrays, and boxes of three dimensions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "call.h"
#include "copy.h"
#include "error_state.h"
#include "image.h"

using namespace runtime;

namespace {

using serve::Box;

struct ArrayPlace {
  std::size_t x_bytes, y, z;
};

// The array from there on; nothing unless it is live and holds the extent (width in bytes).
std::optional<Box> array_box(cudaArray_const_t array, ArrayPlace place, cudaExtent extent) {
  const Image* const image = find_array(array);
  if (image == nullptr) return std::nullopt;
  const auto fits = [](std::size_t offset, std::size_t size, std::size_t room) {
    return offset <= room && size <= room - offset;
  };
  if (!fits(place.x_bytes, extent.width, image->row_bytes) ||
      !fits(place.y, extent.height, image->height) || !fits(place.z, extent.depth, image->depth)) {
    return std::nullopt;
  }
  return Box{number(image->at(place.x_bytes, place.y, place.z)), image->row_bytes, image->height};
}

struct Wanted {
  std::optional<Box> to;
  std::optional<Box> from;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

cudaError_t copy_boxes(cudaStream_t stream, const Wanted& wanted, const cudaMemcpy3DParms& like,
                       Host host) {
  if (!wanted.to || !wanted.from) return set_last_error(cudaErrorInvalidValue);
  return copy_on(stream, {*wanted.to, *wanted.from, wanted.extent, wanted.kind}, like, host);
}

// One run of bytes over rows as a box of one row, which is what it is in memory without padding.
std::optional<Box> array_run(cudaArray_const_t array, std::size_t offset_bytes,
                             std::size_t offset_rows, std::size_t size_bytes) {
  const Image* const image = find_array(array);
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
  std::size_t unit = 0;
  for (const cudaArray_const_t array : {all.srcArray, all.dstArray}) {
    if (array == nullptr) continue;
    const Image* const image = find_array(array);
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

cudaError_t copy_2d_to(cudaArray_t destination, std::size_t offset_bytes, std::size_t offset_rows,
                       const void* source, std::size_t pitch, cudaExtent extent,
                       cudaMemcpyKind kind, cudaStream_t stream, Host host) {
  return copy_boxes(stream,
                    {array_box(destination, {offset_bytes, offset_rows, 0}, extent),
                     plane(source, pitch), extent, kind},
                    to_array(destination, offset_bytes, offset_rows, source, pitch, extent, kind),
                    host);
}

cudaError_t copy_2d_from(void* destination, std::size_t pitch, cudaArray_const_t source,
                         std::size_t offset_bytes, std::size_t offset_rows, cudaExtent extent,
                         cudaMemcpyKind kind, cudaStream_t stream, Host host) {
  return copy_boxes(stream,
                    {plane(destination, pitch),
                     array_box(source, {offset_bytes, offset_rows, 0}, extent), extent, kind},
                    from_array(destination, pitch, source, offset_bytes, offset_rows, extent, kind),
                    host);
}

cudaError_t copy_3d(const cudaMemcpy3DParms* parameters, cudaStream_t stream, Host host) {
  if (parameters == nullptr || is_ambiguous(*parameters)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  const cudaMemcpy3DParms& all = *parameters;
  const std::size_t unit = unit_of(all);
  if (unit == 0 || all.extent.width > SIZE_MAX / unit) return set_last_error(cudaErrorInvalidValue);
  cudaExtent extent = all.extent;
  extent.width *= unit;
  return copy_boxes(stream,
                    {side_of(all.dstArray, all.dstPtr, all.dstPos, unit, extent),
                     side_of(all.srcArray, all.srcPtr, all.srcPos, unit, extent), extent, all.kind},
                    all, host);
}

}  // namespace

cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, std::size_t offset_bytes,
                                std::size_t offset_rows, const void* source, std::size_t pitch,
                                std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  RUNTIME_CALL;
  return copy_2d_to(destination, offset_bytes, offset_rows, source, pitch, {width_bytes, height, 1},
                    kind, nullptr, Host::kWaits);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, std::size_t offset_bytes,
                                     std::size_t offset_rows, const void* source, std::size_t pitch,
                                     std::size_t width_bytes, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  RUNTIME_CALL;
  return copy_2d_to(destination, offset_bytes, offset_rows, source, pitch, {width_bytes, height, 1},
                    kind, stream, Host::kGoesOn);
}

cudaError_t cudaMemcpy2DFromArray(void* destination, std::size_t pitch, cudaArray_const_t source,
                                  std::size_t offset_bytes, std::size_t offset_rows,
                                  std::size_t width_bytes, std::size_t height,
                                  cudaMemcpyKind kind) {
  RUNTIME_CALL;
  return copy_2d_from(destination, pitch, source, offset_bytes, offset_rows,
                      {width_bytes, height, 1}, kind, nullptr, Host::kWaits);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* destination, std::size_t pitch,
                                       cudaArray_const_t source, std::size_t offset_bytes,
                                       std::size_t offset_rows, std::size_t width_bytes,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  RUNTIME_CALL;
  return copy_2d_from(destination, pitch, source, offset_bytes, offset_rows,
                      {width_bytes, height, 1}, kind, stream, Host::kGoesOn);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, std::size_t destination_bytes,
                                     std::size_t destination_rows, cudaArray_const_t source,
                                     std::size_t source_bytes, std::size_t source_rows,
                                     std::size_t width_bytes, std::size_t height,
                                     cudaMemcpyKind kind) {
  RUNTIME_CALL;
  const cudaExtent extent = {width_bytes, height, 1};
  cudaMemcpy3DParms like = {};
  like.srcArray = const_cast<cudaArray_t>(source);
  like.srcPos = {source_bytes, source_rows, 0};
  like.dstArray = destination;
  like.dstPos = {destination_bytes, destination_rows, 0};
  like.extent = extent;
  return copy_boxes(nullptr,
                    {array_box(destination, {destination_bytes, destination_rows, 0}, extent),
                     array_box(source, {source_bytes, source_rows, 0}, extent), extent, kind},
                    in_elements(like, kind), Host::kWaits);
}

cudaError_t cudaMemcpyToArray(cudaArray_t destination, std::size_t offset_bytes,
                              std::size_t offset_rows, const void* source, std::size_t size_bytes,
                              cudaMemcpyKind kind) {
  RUNTIME_CALL;
  const cudaExtent extent = {size_bytes, 1, 1};
  return copy_boxes(
      nullptr,
      {array_run(destination, offset_bytes, offset_rows, size_bytes), plane(source, size_bytes),
       extent, kind},
      to_array(destination, offset_bytes, offset_rows, source, size_bytes, extent, kind),
      Host::kWaits);
}

cudaError_t cudaMemcpyFromArray(void* destination, cudaArray_const_t source,
                                std::size_t offset_bytes, std::size_t offset_rows,
                                std::size_t size_bytes, cudaMemcpyKind kind) {
  RUNTIME_CALL;
  const cudaExtent extent = {size_bytes, 1, 1};
  return copy_boxes(
      nullptr,
      {plane(destination, size_bytes), array_run(source, offset_bytes, offset_rows, size_bytes),
       extent, kind},
      from_array(destination, size_bytes, source, offset_bytes, offset_rows, extent, kind),
      Host::kWaits);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  RUNTIME_CALL;
  return copy_3d(parameters, nullptr, Host::kWaits);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  RUNTIME_CALL;
  return copy_3d(parameters, stream, Host::kGoesOn);
}
