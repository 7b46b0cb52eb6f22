// SPDX-License-Identifier: MIT
// Texture and surface objects: making and ending them. Numbers are not used again, so an object
// that was destroyed is recognised.
#include <algorithm>
#include <cstdint>
#include <map>

#include "allocation.h"
#include "call.h"
#include "connection.h"
#include "device_limits.h"
#include "error_state.h"
#include "image.h"

namespace runtime {
namespace {

// The device numbers objects, and knows those that kernels may use. Here is what the host asks.
std::map<std::uint64_t, Texture>& textures() {
  static auto* const table = new std::map<std::uint64_t, Texture>;  // outlives all users
  return *table;
}
std::map<std::uint64_t, Surface>& surfaces() {
  static auto* const table = new std::map<std::uint64_t, Surface>;
  return *table;
}

template <class Object>
const Object* find(const std::map<std::uint64_t, Object>& table, std::uint64_t object) {
  const auto found = table.find(object);
  return found == table.end() ? nullptr : &found->second;
}

// 0 is what programs leave unset.
template <class Object>
cudaError_t end(std::map<std::uint64_t, Object>& table, std::uint64_t object) {
  if (object == 0) return cudaSuccess;
  if (table.erase(object) == 0) return cudaErrorInvalidValue;
  return ask(serve::EndImage{object}).error;
}

serve::MakeImage command_of(const Image& image) {
  serve::MakeImage command;
  command.base = number(image.base);
  command.row_bytes = image.row_bytes;
  command.width = static_cast<std::uint32_t>(image.width);
  command.height = static_cast<std::uint32_t>(image.height);
  command.depth = static_cast<std::uint32_t>(image.depth);
  command.num_channels = static_cast<std::uint32_t>(image.num_channels);
  command.channel_bytes = static_cast<std::uint32_t>(image.channel_bytes);
  command.channel_kind = static_cast<std::uint32_t>(image.format.f);
  command.dimensions = static_cast<std::uint32_t>(image.shape.dimensions);
  command.is_layered = image.shape.is_layered ? 1 : 0;
  command.is_cube = image.shape.is_cube ? 1 : 0;
  return command;
}

// Part of a live allocation, and aligned in it as cudaMalloc's memory is on a device.
bool is_live_memory(const void* base, std::size_t size_bytes, std::size_t alignment) {
  const Found found = find_allocation(base);
  if (!found.contains(base, size_bytes)) return false;
  return size_bytes != 0 && (number(base) - found.base) % alignment == 0;
}

cudaError_t linear_image(const cudaResourceDesc& resource, Image* image) {
  const auto& linear = resource.res.linear;
  const cudaError_t unfit = set_format(linear.desc, image);
  if (unfit != cudaSuccess) return unfit;
  if (!is_live_memory(linear.devPtr, linear.sizeInBytes, kTextureAlignment)) {
    return cudaErrorInvalidValue;
  }
  image->base = static_cast<std::byte*>(linear.devPtr);
  image->width = linear.sizeInBytes / image->element_bytes();
  image->row_bytes = linear.sizeInBytes;
  return image->width <= kMaxTexture1DLinear ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t pitched_image(const cudaResourceDesc& resource, Image* image) {
  const auto& pitched = resource.res.pitch2D;
  const cudaError_t unfit = set_format(pitched.desc, image);
  if (unfit != cudaSuccess) return unfit;
  const std::size_t row_bytes = pitched.width * image->element_bytes();
  if (pitched.width > static_cast<std::size_t>(kMaxTexture2D[0]) ||
      pitched.height > static_cast<std::size_t>(kMaxTexture2D[1]) || pitched.height == 0 ||
      pitched.pitchInBytes < row_bytes || pitched.pitchInBytes % kTexturePitchAlignment != 0) {
    return cudaErrorInvalidValue;
  }
  const std::size_t size_bytes = (pitched.height - 1) * pitched.pitchInBytes + row_bytes;
  if (!is_live_memory(pitched.devPtr, size_bytes, kTextureAlignment)) return cudaErrorInvalidValue;
  image->base = static_cast<std::byte*>(pitched.devPtr);
  image->width = pitched.width;
  image->height = pitched.height;
  image->row_bytes = pitched.pitchInBytes;
  image->shape = {2};
  return cudaSuccess;
}

cudaError_t image_of(const cudaResourceDesc& resource, Image* image) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const Image* const array = find_array(resource.res.array.array);
      if (array == nullptr) return cudaErrorInvalidValue;
      *image = *array;
      return cudaSuccess;
    }
    case cudaResourceTypeLinear:
      return linear_image(resource, image);
    case cudaResourceTypePitch2D:
      return pitched_image(resource, image);
    case cudaResourceTypeMipmappedArray:
      return cudaErrorNotSupported;
  }
  return cudaErrorInvalidValue;
}

bool is_in_range(const cudaTextureDesc& how) {
  return std::all_of(how.addressMode, how.addressMode + 3,
                     [](auto mode) {
                       return mode >= cudaAddressModeWrap && mode <= cudaAddressModeBorder;
                     }) &&
         (how.filterMode == cudaFilterModePoint || how.filterMode == cudaFilterModeLinear) &&
         (how.readMode == cudaReadModeElementType || how.readMode == cudaReadModeNormalizedFloat);
}

cudaError_t check_reading(const cudaTextureDesc& how, const Image& image) {
  if (!is_in_range(how)) return cudaErrorInvalidValue;
  const bool is_float = image.format.f == cudaChannelFormatKindFloat;
  const bool normalises = how.readMode == cudaReadModeNormalizedFloat && !is_float;
  if (normalises && image.channel_bytes == 4) return cudaErrorInvalidNormSetting;
  if (how.filterMode == cudaFilterModeLinear && !is_float && !normalises) {
    return cudaErrorInvalidFilterSetting;
  }
  const bool crosses_edges = how.seamlessCubemap != 0 && how.filterMode == cudaFilterModeLinear;
  return how.sRGB == 0 && !crosses_edges ? cudaSuccess : cudaErrorNotSupported;
}

// Wrapping and mirroring take normalised coordinates; without these a device clamps. It does so in
// a seamless cube map, too.
cudaTextureDesc in_effect(cudaTextureDesc how) {
  for (cudaTextureAddressMode& mode : how.addressMode) {
    const bool clamps = how.normalizedCoords == 0 && mode != cudaAddressModeBorder;
    if (clamps || how.seamlessCubemap != 0) mode = cudaAddressModeClamp;
  }
  return how;
}

cudaError_t make_texture(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                         const cudaTextureDesc* how, const cudaResourceViewDesc* view) {
  if (object == nullptr || resource == nullptr || how == nullptr) return cudaErrorInvalidValue;
  if (view != nullptr) return cudaErrorNotSupported;
  Texture texture = {{}, *resource, *how, in_effect(*how)};
  cudaError_t error = image_of(*resource, &texture.image);
  if (error == cudaSuccess) error = check_reading(*how, texture.image);
  if (error != cudaSuccess) return error;
  serve::MakeImage command = command_of(texture.image);
  command.is_linear_memory = resource->resType == cudaResourceTypeLinear ? 1 : 0;
  command.is_filtered = how->filterMode == cudaFilterModeLinear ? 1 : 0;
  command.normalises = how->readMode == cudaReadModeNormalizedFloat ? 1 : 0;
  command.has_normalised_coordinates = how->normalizedCoords != 0 ? 1 : 0;
  for (int i = 0; i < 3; ++i) {
    command.address_modes[i] = static_cast<std::uint32_t>(texture.in_effect.addressMode[i]);
  }
  std::copy_n(how->borderColor, 4, command.border);
  const auto asked = ask(command);
  if (asked.error != cudaSuccess) return asked.error;
  textures()[asked.result.object] = texture;
  *object = asked.result.object;
  return cudaSuccess;
}

cudaError_t make_surface(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  if (object == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
  const cudaArray_t array = resource->res.array.array;
  const Image* const image = find_array(array);
  if (image == nullptr || (array_flags(array) & cudaArraySurfaceLoadStore) == 0) {
    return cudaErrorInvalidValue;
  }
  serve::MakeImage command = command_of(*image);
  command.is_surface = 1;
  const auto asked = ask(command);
  if (asked.error != cudaSuccess) return asked.error;
  surfaces()[asked.result.object] = {*image, *resource};
  *object = asked.result.object;
  return cudaSuccess;
}

}  // namespace

}  // namespace runtime

using namespace runtime;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
  RUNTIME_CALL;
  return set_last_error(make_texture(object, resource, texture, view));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  RUNTIME_CALL;
  return set_last_error(end(textures(), object));
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
  RUNTIME_CALL;
  const Texture* const found = find(textures(), object);
  if (found == nullptr || resource == nullptr) return set_last_error(cudaErrorInvalidValue);
  *resource = found->resource;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  RUNTIME_CALL;
  const Texture* const found = find(textures(), object);
  if (found == nullptr || texture == nullptr) return set_last_error(cudaErrorInvalidValue);
  *texture = found->how;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  RUNTIME_CALL;
  return set_last_error(make_surface(object, resource));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  RUNTIME_CALL;
  return set_last_error(end(surfaces(), object));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object) {
  RUNTIME_CALL;
  const Surface* const found = find(surfaces(), object);
  if (found == nullptr || resource == nullptr) return set_last_error(cudaErrorInvalidValue);
  *resource = found->resource;
  return set_last_error(cudaSuccess);
}
