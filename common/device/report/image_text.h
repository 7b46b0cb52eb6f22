// SPDX-License-Identifier: MIT
// Messages about textures and surfaces. `thread`: the name of the thread that uses one.
#pragma once

#include <cstdint>
#include <string>

#include "report/words.h"

namespace report {

struct ImageShape {
  std::uint32_t dimensions = 1;  // of a layer
  bool is_layered = false;
  bool is_cube = false;
  bool operator==(const ImageShape&) const = default;
};

// What messages say of a texture or surface.
struct ImageAbout {
  ImageShape shape;
  std::uint64_t width = 0, height = 1, depth = 1;  // in elements; depth: slices, layers or faces
  std::uint32_t num_channels = 1;
  std::uint32_t channel_bytes = 4;
  bool is_float = false;    // the channels are floating-point numbers
  bool normalises = false;  // read as such, in [-1, 1]: cudaReadModeNormalizedFloat

  std::uint64_t element_bytes() const { return std::uint64_t{num_channels} * channel_bytes; }
};

// An access through a surface; x counts bytes, `last` is the slice, the face or the layer.
struct SurfaceTouch {
  bool writes = false;
  std::int32_t x = 0, y = 0, last = 0;
  std::uint32_t size_bytes = 4;
};

// "texture" or "surface": the object is none, or has been destroyed.
std::string no_object_text(const std::string& thread, const char* what, std::uint64_t object);

// The function is for an image of the shape `called`.
std::string wrong_shape_text(const std::string& thread, const char* what, const ImageShape& called,
                             const ImageAbout& image);

// tex1Dfetch is for linear memory alone.
std::string wrong_fetch_text(const std::string& thread, bool fetches);

// The kernel reads floating-point numbers where the texture gives integers, or the reverse.
std::string wrong_type_text(const std::string& thread, bool reads_floats, const ImageAbout& image);

// The element that is read was written by the same kernel.
std::string written_by_kernel_text(const std::string& thread, const std::string& line);

// tex1Dfetch of an index that the texture lacks.
std::string past_texture_text(const std::string& thread, std::int32_t index,
                              const ImageAbout& image);

// The access leaves the surface.
std::string outside_surface_text(const std::string& thread, const SurfaceTouch& touch,
                                 const ImageAbout& image);

// x of the access is not divisible by its size.
std::string misaligned_surface_text(const std::string& thread, const SurfaceTouch& touch);

}  // namespace report
