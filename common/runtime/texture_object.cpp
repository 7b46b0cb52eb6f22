// SPDX-License-Identifier: MIT
// Texture and surface objects: making and ending them. Numbers are not used again, so an object
// that was destroyed is recognised.
#include <algorithm>
#include <memory>
#include <vector>

#include "allocation.h"
#include "call.h"
#include "device_limits.h"
#include "error_state.h"
#include "image.h"

namespace runtime {
namespace {

template <class Object>
class ObjectTable {
 public:
  unsigned long long add(Object object) {
    objects_.push_back(std::make_unique<Object>(object));
    return first_ + objects_.size() - 1;
  }
  const Object* find(unsigned long long number) const {
    const unsigned long long index = number - first_;
    return index < objects_.size() ? objects_[index].get() : nullptr;
  }
  bool remove(unsigned long long number) {
    if (find(number) == nullptr) return false;
    objects_[number - first_].reset();
    return true;
  }

 private:
  static constexpr unsigned long long first_ = 1;  // 0 is what programs leave unset
  std::vector<std::unique_ptr<Object>> objects_;
};

ObjectTable<Texture>& textures() {
  static auto* const table = new ObjectTable<Texture>;  // outlives all users
  return *table;
}
ObjectTable<Surface>& surfaces() {
  static auto* const table = new ObjectTable<Surface>;
  return *table;
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
  *object = textures().add(texture);
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
  *object = surfaces().add({*image, *resource});
  return cudaSuccess;
}

}  // namespace

const Texture* find_texture(cudaTextureObject_t object) { return textures().find(object); }
const Surface* find_surface(cudaSurfaceObject_t object) { return surfaces().find(object); }

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
  const bool was_there = object == 0 || textures().remove(object);
  return set_last_error(was_there ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
  RUNTIME_CALL;
  const Texture* const found = find_texture(object);
  if (found == nullptr || resource == nullptr) return set_last_error(cudaErrorInvalidValue);
  *resource = found->resource;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  RUNTIME_CALL;
  const Texture* const found = find_texture(object);
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
  const bool was_there = object == 0 || surfaces().remove(object);
  return set_last_error(was_there ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object) {
  RUNTIME_CALL;
  const Surface* const found = find_surface(object);
  if (found == nullptr || resource == nullptr) return set_last_error(cudaErrorInvalidValue);
  *resource = found->resource;
  return set_last_error(cudaSuccess);
}
