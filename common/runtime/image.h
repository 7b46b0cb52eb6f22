// SPDX-License-Identifier: MIT
// What texture and surface objects refer to, as the host made them and kernels use them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace runtime {

struct ImageShape {
  int dimensions = 1;  // of a layer
  bool is_layered = false;
  bool is_cube = false;
};

// Elements in device memory: rows of `width`, slices of `height` rows, `depth` slices or layers.
struct Image {
  std::byte* base = nullptr;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t row_bytes = 0;  // from one row to the next
  cudaChannelFormatDesc format = {};
  int num_channels = 0;
  int channel_bytes = 0;
  ImageShape shape = {1};

  std::size_t element_bytes() const {
    return static_cast<std::size_t>(num_channels) * static_cast<std::size_t>(channel_bytes);
  }
  std::size_t size_bytes() const { return row_bytes * height * depth; }
  std::byte* at(std::size_t x_bytes, std::size_t y, std::size_t z) const {
    return base + (z * height + y) * row_bytes + x_bytes;
  }
};

struct Texture {
  Image image;
  cudaResourceDesc resource;
  cudaTextureDesc how;
  cudaTextureDesc in_effect;  // `how`, with the address modes that a device uses instead
};

struct Surface {
  Image image;
  cudaResourceDesc resource;
};

// The image of a live array; null: there is none.
const Image* find_array(const cudaArray* array);
// The flags that it was made with.
unsigned array_flags(const cudaArray* array);

// With the format's channels. cudaErrorInvalidChannelDescriptor unless it has one, two or four
// channels of 8, 16 or 32 bits.
cudaError_t set_format(const cudaChannelFormatDesc& format, Image* image);

}  // namespace runtime
