// SPDX-License-Identifier: MIT
// Texture and surface objects.
#include "serve/cuda_errors.h"
#include "serve/device.h"

namespace serve {
namespace {

constexpr std::size_t kMaxImages = 100'000;
enum ChannelKind : std::uint32_t { kSigned, kUnsigned, kFloat };  // as CUDA numbers them

}  // namespace

int Device::handle(const MakeImage& command, MakeImage::Result& result, Call&) {
  if (images_.size() == kMaxImages) return kMemoryAllocation;
  run::Image image;
  image.about = {{command.dimensions, command.is_layered != 0, command.is_cube != 0},
                 command.width,
                 command.height,
                 command.depth,
                 command.num_channels,
                 command.channel_bytes,
                 command.channel_kind == kFloat,
                 command.normalises != 0 && command.channel_kind != kFloat};
  image.base = command.base;
  image.row_bytes = command.row_bytes;
  image.is_signed = command.channel_kind == kSigned;
  image.is_surface = command.is_surface != 0;
  image.is_linear_memory = command.is_linear_memory != 0;
  image.is_filtered = command.is_filtered != 0;
  image.has_normalised_coordinates = command.has_normalised_coordinates != 0;
  for (std::size_t i = 0; i < image.modes.size(); ++i) {
    image.modes[i] = static_cast<run::AddressMode>(command.address_modes[i]);
  }
  for (std::size_t i = 0; i < image.border.size(); ++i) image.border[i] = command.border[i];
  result.object = images_.add(image);
  return kSuccess;
}

int Device::handle(const EndImage& command, Nothing&, Call&) {
  return images_.remove(command.object) ? kSuccess : kInvalidValue;
}

}  // namespace serve
