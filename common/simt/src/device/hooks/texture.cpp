// SPDX-License-Identifier: MIT
// Reads through texture objects, as the CUDA Programming Guide's chapter "Texture Fetching" defines
// them: which elements a coordinate means, and how linear filtering mixes these.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "hooks/image_access.h"
#include "report/image_text.h"
#include "report/report_at.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/float16.h"
#include "simt/image.h"

namespace simt {
namespace {

using device::running;

constexpr long kBorder = -1;  // instead of an index: the border's colour

// The one or two elements that a coordinate means along one axis.
struct Footprint {
  long indices[2];
  float second_weight;  // the first has the rest; 0: it alone is read
};

long modulo(long value, long size) {
  const long rest = value % size;
  return rest < 0 ? rest + size : rest;
}

long in_range(long index, long size, cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return modulo(index, size);
    case cudaAddressModeMirror: {
      const long place = modulo(index, 2 * size);
      return place < size ? place : 2 * size - 1 - place;
    }
    case cudaAddressModeBorder:
      return index >= 0 && index < size ? index : kBorder;
    case cudaAddressModeClamp:
      break;
  }
  return std::clamp(index, 0L, size - 1);
}

// In elements. Wrapping and mirroring act on the normalised coordinate.
float in_elements(float x, std::size_t size, cudaTextureAddressMode mode, bool is_normalised) {
  if (!is_normalised) return x;
  if (mode == cudaAddressModeWrap) {
    x -= std::floor(x);
  } else if (mode == cudaAddressModeMirror) {
    const float whole = std::floor(x);
    x -= whole;
    if (std::fmod(whole, 2.0F) != 0) x = 1 - x;
  }
  return x * static_cast<float>(size);
}

// The largest integer that is not above x, which is no farther from 0 than kFar. std::floor() is a
// call where the processor may be an old one.
constexpr float kFar = 1 << 30;  // farther than any texture is wide
long floor_of(float x) {
  const auto whole = static_cast<long>(x);
  return whole - (static_cast<float>(whole) > x ? 1 : 0);
}

// The weight is a fixed-point number with 8 bits of fraction; 1.0 is one of its values.
float rounded_weight(float weight) {
  return static_cast<float>(floor_of(weight * 256 + 0.5F)) / 256;
}

Footprint footprint_of(float x, std::size_t size, cudaTextureAddressMode mode,
                       const cudaTextureDesc& how) {
  x = in_elements(x, size, mode, how.normalizedCoords != 0);
  x = std::isnan(x) ? 0 : std::clamp(x, -kFar, kFar);
  const auto length = static_cast<long>(size);
  if (how.filterMode == cudaFilterModePoint) {
    const long index = in_range(floor_of(x), length, mode);
    return {{index, index}, 0};
  }
  const float from_centre = x - 0.5F;
  const long index = floor_of(from_centre);
  return {{in_range(index, length, mode), in_range(index + 1, length, mode)},
          rounded_weight(from_centre - static_cast<float>(index))};
}

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// [-1, 1] for signed integers, of which the least two mean -1; [0, 1] for the others.
float normalised(std::int32_t value, const Image& image) {
  const bool is_byte = image.channel_bytes == 1;
  if (image.format.f == cudaChannelFormatKindUnsigned) {
    return static_cast<float>(value) / (is_byte ? 255 : 65535);
  }
  return std::max(static_cast<float>(value) / (is_byte ? 127 : 32767), -1.0F);
}

template <class T>
T read(const std::byte* channel) {
  T value;
  std::memcpy(&value, channel, sizeof value);
  return value;
}

// The channel's value, extended to 32 bits.
std::uint32_t widened(const std::byte* channel, const Image& image) {
  const bool is_signed = image.format.f == cudaChannelFormatKindSigned;
  if (image.channel_bytes == 4) return read<std::uint32_t>(channel);
  if (image.channel_bytes == 1) {
    if (is_signed) return static_cast<std::uint32_t>(read<std::int8_t>(channel));
    return read<std::uint8_t>(channel);
  }
  if (is_signed) return static_cast<std::uint32_t>(read<std::int16_t>(channel));
  const auto bits = read<std::uint16_t>(channel);
  const bool is_half = image.format.f == cudaChannelFormatKindFloat;
  return is_half ? as_bits(decode_float16<HalfFormat>(bits)) : bits;
}

bool normalises_integers(const Texture& texture) {
  return texture.in_effect.readMode == cudaReadModeNormalizedFloat &&
         texture.image.format.f != cudaChannelFormatKindFloat;
}

// A device hands out the bits as they are, whatever the template argument is.
void check_type(const Texture& texture, ReadAs as, const void* pc) {
  const bool gives_floats =
      texture.image.format.f == cudaChannelFormatKindFloat || normalises_integers(texture);
  if (gives_floats == (as == ReadAs::kFloat)) return;
  const device::Untraced untraced;
  device::report_at(FindingKind::kOutOfBounds, pc, running.launch->site,
                    device::wrong_type_text(device::running_thread_name(), as, texture.image));
}

Texel read_element(const Texture& texture, const std::byte* element, const void* pc) {
  const Image& image = texture.image;
  device::announce_image_access(element, image.element_bytes(), device::Direction::kRead, pc);
  const bool normalises = normalises_integers(texture);
  Texel texel = {};
  if (image.channel_bytes == 4 && !normalises) {
    std::memcpy(&texel, element, image.element_bytes());
    return texel;
  }
  for (int channel = 0; channel < image.num_channels; ++channel) {
    std::uint32_t& value = texel.channels[channel];
    value = widened(element + static_cast<std::ptrdiff_t>(channel) * image.channel_bytes, image);
    if (normalises) value = as_bits(normalised(static_cast<std::int32_t>(value), image));
  }
  return texel;
}

Texel read_or_border(const Texture& texture, long x, long y, long z, const void* pc) {
  if (x != kBorder && y != kBorder && z != kBorder) {
    const Image& image = texture.image;
    const std::byte* const element =
        image.at(static_cast<std::size_t>(x) * image.element_bytes(), static_cast<std::size_t>(y),
                 static_cast<std::size_t>(z));
    return read_element(texture, element, pc);
  }
  Texel border = {};
  for (int channel = 0; channel < texture.image.num_channels; ++channel) {
    border.channels[channel] = as_bits(texture.in_effect.borderColor[channel]);
  }
  return border;
}

// The weighted sum over the elements around the place. Elements without weight are not read.
Texel filtered(const Texture& texture, const Footprint (&axes)[3], const void* pc) {
  float sums[4] = {};
  int mixed = 0;  // the axes along which two elements count
  for (int axis = 0; axis < 3; ++axis) mixed |= (axes[axis].second_weight != 0 ? 1 : 0) << axis;
  for (int corner = 0; corner < 8; ++corner) {
    if ((corner & ~mixed) != 0) continue;
    float weight = 1;
    long at[3];
    for (int axis = 0; axis < 3; ++axis) {
      const bool is_second = (corner >> axis & 1) != 0;
      const float second_weight = axes[axis].second_weight;
      weight *= is_second ? second_weight : 1 - second_weight;
      at[axis] = axes[axis].indices[is_second ? 1 : 0];
    }
    if (weight == 0) continue;
    const Texel texel = read_or_border(texture, at[0], at[1], at[2], pc);
    for (int channel = 0; channel < 4; ++channel) {
      sums[channel] += weight * as_float(texel.channels[channel]);
    }
  }
  Texel result;
  for (int channel = 0; channel < 4; ++channel) result.channels[channel] = as_bits(sums[channel]);
  return result;
}

const Texture& texture_of(cudaTextureObject_t object, bool fetches, const void* pc) {
  const Texture* const texture = find_texture(object);
  if (texture == nullptr) device::end_for_wrong_object("texture", object, pc);
  if ((texture->resource.resType == cudaResourceTypeLinear) != fetches) {
    const device::Untraced untraced;
    device::end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
                        device::wrong_fetch_text(device::running_thread_name(), fetches), pc});
  }
  return *texture;
}

}  // namespace

namespace {

constexpr long kFaces = 6;

// Where a direction from the middle of a cube meets its surface: the face, and the place on it in
// [0, 1], as the CUDA Programming Guide's chapter "Cubemap Textures" defines them.
struct CubePlace {
  long face;
  float x, y;
};

CubePlace cube_place_of(Coordinates to) {
  const float x = std::fabs(to.x), y = std::fabs(to.y), z = std::fabs(to.z);
  const auto place = [](bool is_negative, long face, float s, float t, float m) {
    return CubePlace{face + (is_negative ? 1 : 0), (s / m + 1) / 2, (t / m + 1) / 2};
  };
  if (x >= y && x >= z) return place(to.x < 0, 0, to.x < 0 ? to.z : -to.z, -to.y, x);
  if (y >= z) return place(to.y < 0, 2, to.x, to.y < 0 ? -to.z : to.z, y);
  return place(to.z < 0, 4, to.z < 0 ? -to.x : to.x, -to.y, z);
}

long clamped(long index, std::size_t size) {
  return std::clamp(index, 0L, static_cast<long>(size) - 1);
}

Texel sample(const Texture& texture, const Footprint (&axes)[3], const void* pc) {
  if (texture.in_effect.filterMode == cudaFilterModeLinear) return filtered(texture, axes, pc);
  return read_or_border(texture, axes[0].indices[0], axes[1].indices[0], axes[2].indices[0], pc);
}

}  // namespace

Texel sample_texture(cudaTextureObject_t object, ImageShape shape, ReadAs as, Coordinates at,
                     int layer) {
  const void* const pc = __builtin_return_address(0);
  const Texture& texture = texture_of(object, false, pc);
  const Image& image = texture.image;
  device::require_shape("texture", shape, image, pc);
  check_type(texture, as, pc);
  const cudaTextureDesc& how = texture.in_effect;
  const std::size_t sizes[] = {image.width, image.height, image.depth};
  const float coordinates[] = {at.x, at.y, at.z};
  Footprint axes[3] = {};
  for (int axis = 0; axis < shape.dimensions; ++axis) {
    axes[axis] = footprint_of(coordinates[axis], sizes[axis], how.addressMode[axis], how);
  }
  if (shape.is_layered) {
    const long index = clamped(layer, image.depth);
    axes[2] = {{index, index}, 0};
  }
  return sample(texture, axes, pc);
}

Texel sample_cube(cudaTextureObject_t object, bool is_layered, ReadAs as, Coordinates direction,
                  int layer) {
  const void* const pc = __builtin_return_address(0);
  const Texture& texture = texture_of(object, false, pc);
  const Image& image = texture.image;
  device::require_shape("texture", {2, is_layered, true}, image, pc);
  check_type(texture, as, pc);
  cudaTextureDesc how = texture.in_effect;
  how.normalizedCoords = 1;
  const CubePlace place = cube_place_of(direction);
  const long index = kFaces * clamped(layer, image.depth / kFaces) + place.face;
  return sample(texture,
                {footprint_of(place.x, image.width, how.addressMode[0], how),
                 footprint_of(place.y, image.height, how.addressMode[1], how),
                 {{index, index}, 0}},
                pc);
}

Texel fetch_texel(cudaTextureObject_t object, ReadAs as, int index) {
  const void* const pc = __builtin_return_address(0);
  const Texture& texture = texture_of(object, true, pc);
  check_type(texture, as, pc);
  const Image& image = texture.image;
  if (index < 0 || static_cast<std::size_t>(index) >= image.width) {
    const device::Untraced untraced;
    device::report_at(FindingKind::kOutOfBounds, pc, running.launch->site,
                      device::past_texture_text(device::running_thread_name(), index, image));
    return {};
  }
  return read_element(texture, image.base + static_cast<std::size_t>(index) * image.element_bytes(),
                      pc);
}

}  // namespace simt
