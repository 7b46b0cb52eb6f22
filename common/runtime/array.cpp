// SPDX-License-Identifier: MIT
// Arrays: their memory, and what they are made of.
#include <map>

#include "allocation.h"
#include "call.h"
#include "device_limits.h"
#include "error_state.h"
#include "image.h"

struct cudaArray {
  runtime::Image image;
  unsigned flags;
};

namespace runtime {
namespace {

constexpr unsigned kKnownArrayFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
constexpr std::size_t kFaces = 6;

// By handle. What a program passes may be no handle, so it is looked up and not followed.
std::map<const cudaArray*, cudaArray>& arrays() {
  static auto* const live = new std::map<const cudaArray*, cudaArray>;  // outlives all users
  return *live;
}

const int (&limits_of(ImageShape shape))[3] {
  if (shape.is_cube) return kMaxTexture2DLayered;
  if (shape.is_layered) return shape.dimensions == 1 ? kMaxTexture1DLayered : kMaxTexture2DLayered;
  if (shape.dimensions == 3) return kMaxTexture3D;
  return shape.dimensions == 1 ? kMaxTexture1D : kMaxTexture2D;
}

bool is_cube_of(cudaExtent extent, bool is_layered) {
  return extent.width == extent.height &&
         (is_layered ? extent.depth != 0 && extent.depth % kFaces == 0 : extent.depth == kFaces);
}

bool exceeds_limits(const Image& image) {
  const auto& limits = limits_of(image.shape);
  return image.width > static_cast<std::size_t>(limits[0]) ||
         image.height > static_cast<std::size_t>(limits[1]) ||
         image.depth > static_cast<std::size_t>(limits[2]);
}

cudaError_t make_array(cudaArray_t* handle, const cudaChannelFormatDesc* format, cudaExtent extent,
                       unsigned flags) {
  if (handle == nullptr || format == nullptr || extent.width == 0) return cudaErrorInvalidValue;
  if ((flags & ~kKnownArrayFlags) != 0) return cudaErrorInvalidValue;
  runtime::Image image;
  const cudaError_t unfit = set_format(*format, &image);
  if (unfit != cudaSuccess) return unfit;
  image.shape.is_layered = (flags & cudaArrayLayered) != 0;
  image.shape.is_cube = (flags & cudaArrayCubemap) != 0;
  if (image.shape.is_cube && !is_cube_of(extent, image.shape.is_layered)) {
    return cudaErrorInvalidValue;
  }
  const bool has_volume = extent.depth != 0 && !image.shape.is_layered && !image.shape.is_cube;
  image.shape.dimensions = has_volume ? 3 : extent.height != 0 ? 2 : 1;
  if (image.shape.is_layered && extent.depth == 0) return cudaErrorInvalidValue;
  image.width = extent.width;
  image.height = extent.height == 0 ? 1 : extent.height;
  image.depth = extent.depth == 0 ? 1 : extent.depth;
  if (exceeds_limits(image)) return cudaErrorInvalidValue;
  image.row_bytes = image.width * image.element_bytes();
  cudaError_t error = cudaSuccess;
  void* const base = allocate(image.size_bytes(), serve::Memory::kDevice, &error);
  if (error != cudaSuccess) return error;
  image.base = static_cast<std::byte*>(base);
  // Where the memory is serves as the handle: no other live array has it.
  *handle = reinterpret_cast<cudaArray_t>(base);
  arrays()[*handle] = {image, flags};
  return cudaSuccess;
}

cudaExtent extent_of(const Image& image) {
  const ImageShape& shape = image.shape;
  return {image.width, shape.dimensions == 1 ? 0 : image.height,
          shape.dimensions == 3 || shape.is_layered || shape.is_cube ? image.depth : 0};
}

}  // namespace

const Image* find_array(const cudaArray* array) {
  const auto found = arrays().find(array);
  return found == arrays().end() ? nullptr : &found->second.image;
}

unsigned array_flags(const cudaArray* array) {
  const auto found = arrays().find(array);
  return found == arrays().end() ? 0 : found->second.flags;
}

cudaError_t set_format(const cudaChannelFormatDesc& format, Image* image) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  int count = 0;
  while (count < 4 && bits[count] != 0) ++count;
  for (int i = 0; i < 4; ++i) {
    if (bits[i] != (i < count ? format.x : 0)) return cudaErrorInvalidChannelDescriptor;
  }
  const bool is_count = count == 1 || count == 2 || count == 4;
  const bool is_size = format.x == 8 || format.x == 16 || format.x == 32;
  const bool is_kind = format.f == cudaChannelFormatKindSigned ||
                       format.f == cudaChannelFormatKindUnsigned ||
                       (format.f == cudaChannelFormatKindFloat && format.x != 8);
  if (!is_count || !is_size || !is_kind) return cudaErrorInvalidChannelDescriptor;
  image->format = format;
  image->num_channels = count;
  image->channel_bytes = format.x / 8;
  return cudaSuccess;
}

}  // namespace runtime

using namespace runtime;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height, unsigned int flags) {
  RUNTIME_CALL;
  if ((flags & (cudaArrayLayered | cudaArrayCubemap)) != 0) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return set_last_error(make_array(array, format, {width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned int flags) {
  RUNTIME_CALL;
  return set_last_error(make_array(array, format, extent, flags));
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  RUNTIME_CALL;
  if (array == nullptr) return set_last_error(cudaSuccess);
  const Image* const image = find_array(array);
  if (image == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (const cudaError_t error = release(image->base, serve::FreeCall::kFreeArray);
      error != cudaSuccess) {
    return error;
  }
  arrays().erase(array);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t array) {
  RUNTIME_CALL;
  const Image* const image = find_array(array);
  if (image == nullptr) return set_last_error(cudaErrorInvalidResourceHandle);
  if (format != nullptr) *format = image->format;
  if (extent != nullptr) *extent = extent_of(*image);
  if (flags != nullptr) *flags = array_flags(array);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  RUNTIME_CALL;
  const Image* const image = find_array(array);
  if (image == nullptr) return set_last_error(cudaErrorInvalidResourceHandle);
  if (format == nullptr) return set_last_error(cudaErrorInvalidValue);
  *format = image->format;
  return set_last_error(cudaSuccess);
}
