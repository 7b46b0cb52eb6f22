// SPDX-License-Identifier: MIT
#include "report/image_text.h"

namespace report {
namespace {

// "64 x 32 elements of 4 bytes, 3 layers"
std::string size_of(const ImageAbout& image) {
  std::string text = std::to_string(image.width);
  if (image.shape.dimensions > 1) text += " x " + std::to_string(image.height);
  if (image.shape.dimensions > 2) text += " x " + std::to_string(image.depth);
  text += (text == "1" ? " element of " : " elements of ") + bytes(image.element_bytes());
  if (image.shape.is_cube) return text + ", " + std::to_string(image.depth) + " faces";
  if (!image.shape.is_layered) return text;
  return text + ", " + std::to_string(image.depth) + (image.depth == 1 ? " layer" : " layers");
}

// "1 dimension", "2 dimensions and layers"
std::string shape_name(const ImageShape& shape) {
  const std::string dimensions =
      std::to_string(shape.dimensions) + (shape.dimensions == 1 ? " dimension" : " dimensions");
  return (shape.is_cube ? "six faces" : dimensions) + (shape.is_layered ? " and layers" : "");
}

const char* verb_of(const SurfaceTouch& touch) { return touch.writes ? " writes " : " reads "; }

}  // namespace

std::string no_object_text(const std::string& thread, const char* what, std::uint64_t object) {
  return thread + " uses " + what + " object " + std::to_string(object) +
         ", which was never created or has been destroyed";
}

std::string wrong_shape_text(const std::string& thread, const char* what, const ImageShape& called,
                             const ImageAbout& image) {
  return thread + " calls a function for a " + what + " of " + shape_name(called) + ", but the " +
         what + " has " + shape_name(image.shape) + " (" + size_of(image) + ")";
}

std::string wrong_fetch_text(const std::string& thread, bool fetches) {
  return thread + (fetches
                       ? " calls tex1Dfetch for a texture that is not linear memory: use tex1D, "
                         "tex2D or tex3D"
                       : " samples a texture that is linear memory: use tex1Dfetch");
}

std::string wrong_type_text(const std::string& thread, bool reads_floats, const ImageAbout& image) {
  if (reads_floats) {
    return thread + " reads floating-point numbers from a texture that gives " +
           std::to_string(8 * image.channel_bytes) +
           "-bit integers: it gets their bits, not their values; read an integer type, or make the "
           "texture with cudaReadModeNormalizedFloat";
  }
  return thread + " reads integers from a texture that gives floating-point numbers" +
         (image.is_float ? "" : " (its readMode is cudaReadModeNormalizedFloat)") +
         ": it gets their bits, not their values; read " +
         (image.is_float ? "float" : "float, or make the texture with cudaReadModeElementType");
}

std::string written_by_kernel_text(const std::string& thread, const std::string& line) {
  return thread + " reads through a texture or surface what this kernel has written in " + line +
         ": a kernel need not see its own writes there; read in the next launch, or read the "
         "memory itself";
}

std::string past_texture_text(const std::string& thread, std::int32_t index,
                              const ImageAbout& image) {
  return thread + " reads element " + std::to_string(index) + " of a texture of " + size_of(image);
}

std::string outside_surface_text(const std::string& thread, const SurfaceTouch& touch,
                                 const ImageAbout& image) {
  std::string place = "byte " + std::to_string(touch.x);
  if (image.shape.dimensions > 1) place += ", row " + std::to_string(touch.y);
  if (image.shape.dimensions > 2) place += ", slice " + std::to_string(touch.last);
  if (image.shape.is_cube) {
    place += ", face " + std::to_string(touch.last);
  } else if (image.shape.is_layered) {
    place += ", layer " + std::to_string(touch.last);
  }
  std::string text = thread + verb_of(touch) + bytes(touch.size_bytes) + " at " + place +
                     " of a surface of " + size_of(image);
  const std::uint64_t row_bytes = image.width * image.element_bytes();
  const bool fits = touch.size_bytes <= row_bytes;
  const bool is_in_row =
      touch.x >= 0 && fits && static_cast<std::uint64_t>(touch.x) <= row_bytes - touch.size_bytes;
  if (is_in_row) return text;
  text += ": x counts bytes";
  return fits ? text + ", from 0 to " + std::to_string(row_bytes - touch.size_bytes) : text;
}

std::string misaligned_surface_text(const std::string& thread, const SurfaceTouch& touch) {
  return thread + verb_of(touch) + bytes(touch.size_bytes) +
         " of a surface at x = " + std::to_string(touch.x) +
         ": x counts bytes, and must be a multiple of " + std::to_string(touch.size_bytes);
}

}  // namespace report
