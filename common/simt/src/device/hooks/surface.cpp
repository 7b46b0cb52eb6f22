// SPDX-License-Identifier: MIT
// Reads and writes through surface objects.
#include <algorithm>
#include <cstring>

#include "hooks/image_access.h"
#include "report/image_text.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"
#include "simt/image.h"

namespace simt {
namespace {

using device::Direction;

const char* verb_of(Direction direction) {
  return direction == Direction::kRead ? "reads" : "writes";
}

bool is_inside(const SurfacePlace& at, std::size_t size_bytes, const Image& image) {
  const auto within = [](int value, std::size_t size) {
    return value >= 0 && static_cast<std::size_t>(value) < size;
  };
  const int last = image.shape.is_layered ? at.layer : at.z;
  return within(at.x, image.row_bytes) &&
         static_cast<std::size_t>(at.x) + size_bytes <= image.row_bytes &&
         within(at.y, image.height) && within(last, image.depth);
}

SurfacePlace clamped(SurfacePlace at, std::size_t size_bytes, const Image& image) {
  const auto into = [](int value, std::size_t size) {
    return static_cast<int>(std::clamp(static_cast<long>(value), 0L, static_cast<long>(size) - 1));
  };
  at.x = std::min(into(at.x, image.row_bytes), static_cast<int>(image.row_bytes - size_bytes));
  at.x = std::max(at.x, 0);
  at.y = into(at.y, image.height);
  at.z = into(at.z, image.depth);
  at.layer = into(at.layer, image.depth);
  return at;
}

// Where the access goes; null: nowhere, in the mode that lets it pass. Checks the access.
std::byte* place_of(cudaSurfaceObject_t object, ImageShape shape, SurfacePlace at,
                    std::size_t size_bytes, Direction direction, const void* pc) {
  const Surface* const surface = find_surface(object);
  if (surface == nullptr) device::end_for_wrong_object("surface", object, pc);
  const Image& image = surface->image;
  device::require_shape("surface", shape, image, pc);
  if (at.x % static_cast<int>(size_bytes) != 0) {
    const device::Untraced untraced;
    device::end_kernel({cudaErrorMisalignedAddress, FindingKind::kMisaligned,
                        device::misaligned_surface_text(device::running_thread_name(),
                                                        verb_of(direction), at.x, size_bytes),
                        pc});
  }
  if (!is_inside(at, size_bytes, image)) {
    if (at.mode == cudaBoundaryModeZero) return nullptr;
    if (at.mode != cudaBoundaryModeClamp || size_bytes > image.row_bytes) {
      const device::Untraced untraced;
      device::end_kernel({cudaErrorIllegalAddress, FindingKind::kOutOfBounds,
                          device::outside_surface_text(device::running_thread_name(),
                                                       verb_of(direction), at, size_bytes, image),
                          pc});
    }
    at = clamped(at, size_bytes, image);
  }
  std::byte* const place = image.at(static_cast<std::size_t>(at.x), static_cast<std::size_t>(at.y),
                                    static_cast<std::size_t>(shape.is_layered ? at.layer : at.z));
  device::announce_image_access(place, size_bytes, direction, pc);
  return place;
}

}  // namespace

void read_surface(cudaSurfaceObject_t object, ImageShape shape, SurfacePlace at, void* value,
                  std::size_t size_bytes) {
  const std::byte* const place =
      place_of(object, shape, at, size_bytes, Direction::kRead, __builtin_return_address(0));
  if (place == nullptr) {
    std::memset(value, 0, size_bytes);
  } else {
    std::memcpy(value, place, size_bytes);
  }
}

void write_surface(cudaSurfaceObject_t object, ImageShape shape, SurfacePlace at, const void* value,
                   std::size_t size_bytes) {
  std::byte* const place =
      place_of(object, shape, at, size_bytes, Direction::kWrite, __builtin_return_address(0));
  if (place != nullptr) std::memcpy(place, value, size_bytes);
}

}  // namespace simt
